#include "source/early_state.h"

#include <sys/utsname.h>

#include "event/machine.h"

enum { NAME_ROOM = 64 };

bool early_state_look(struct early_state *state, int32_t pid)
{
	*state = (struct early_state){0};
	if (!proc_stat(pid, &state->stat))
		return false;
	state->asleep = proc_call(pid, &state->call);
	return true;
}

bool early_state_alone(const struct early_state *state)
{
	return state->stat.threads == 1;
}

bool early_state_stopped(const struct early_state *state)
{
	return state->stat.state == 'T' || state->stat.state == 't';
}

void early_state_tell(const struct early_state *state, struct line *line)
{
	char name[NAME_ROOM];
	struct utsname own;

	if (early_state_alone(state))
		line_text(line, "takes", "yes");
	if (early_state_stopped(state))
		line_text(line, "stopped", state->stat.state == 'T' ? "signal" : "tracer");
	else if (state->asleep && uname(&own) == 0) {
		machine_spell_call(machine_of(own.machine), state->call.number, name, sizeof(name));
		line_text(line, "call", name);
	}
}
