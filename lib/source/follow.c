#include "source/follow.h"

#include <string.h>

#include "source/collector.h"
#include "source/sides.h"
#include "source/sockets.h"
#include "source/traced.h"

static bool read_program(void *context, struct program *program, int32_t pid)
{
	struct asker *asker = context;
	int64_t read;

	return asker && asker_ask(asker, program, &read, pid, pid);
}

/* The event by which a system call begins, if it is streamed; else NULL. */
static const struct wish *enter_event(const struct wishes *wishes)
{
	const struct wish *wish;

	for (size_t i = 0; (wish = wishes_at(wishes, i)); i++)
		if (strcmp(wish->event, "raw_syscalls:sys_enter") == 0)
			return wish->enabled && !wish->kept ? wish : NULL;
	return NULL;
}

/* Tells whether system calls that receive are streamed. */
static bool wants_calls(const struct wishes *wishes)
{
	const struct wish *wish;

	for (size_t i = 0; (wish = wishes_at(wishes, i)); i++)
		if (strcmp(wish->event, "syscalls:sys_enter_recvfrom") == 0)
			return true;
	return enter_event(wishes);
}

/* Tells whether events of connections are on. */
static bool wants_sockets(const struct wishes *wishes)
{
	const struct wish *wish;

	for (size_t i = 0; (wish = wishes_at(wishes, i)); i++)
		if (strcmp(wish->event, "sock:inet_sock_set_state") == 0)
			return wish->enabled;
	return false;
}

struct within *follow_look(const struct follow *follow)
{
	const struct collection *of = follow->of;
	struct process process = {0};
	struct within *within;

	if (!enter_event(follow->wishes) || of->pid_count + of->name_count == 0)
		return NULL;
	process_select(&process);
	for (size_t i = 0; i < of->name_count; i++)
		process_choose(&process, of->names[i]);
	for (size_t i = 0; i < of->pid_count; i++)
		if (of->pids[i] != COLLECTOR_COMMAND)
			process_follow(&process, of->pids[i]); /* follow_begin() reports one that is gone */
	process_follow_chosen(&process, read_program, follow->asker);
	within = within_look(&process);
	process_free(&process);
	return within;
}

int follow_begin(const struct follow *follow, const struct within *within, int64_t ts)
{
	const struct collection *of = follow->of;
	struct process *process = follow->process;

	for (size_t i = 0; i < of->pid_count; i++)
		if (process_follow(process, of->pids[i] == COLLECTOR_COMMAND ? follow->command : of->pids[i]) < 0)
			return -1;
	if (process_follow_chosen(process, read_program, follow->asker) == 0 && of->name_count)
		of->say("no process is called '%s' yet; those that begin are traced", of->names[0]);
	if (traced_write_all(process, follow->stream) < 0)
		return -1;
	if (wants_sockets(follow->wishes) && !follow->foreign && sockets_tell(process, follow->clock, follow->stream) < 0)
		return -1;
	if (wants_calls(follow->wishes) && sides_tell(process, follow->stream) < 0)
		return -1;
	return within ? within_tell(within, follow->scribe, follow->stream, enter_event(follow->wishes), ts) : 0;
}
