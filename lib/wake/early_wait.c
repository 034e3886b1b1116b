#include "wake/early_wait.h"

#include <stdlib.h>

#include "wake/poll.h"
#include "wake/reason.h"

int16_t early_wait_reason(const struct wake *wake, const struct fields *fields)
{
	char *call = fields_copy(fields, "call");
	int16_t reason = CALL_NONE;

	if (fields_is(fields, "stopped", "signal") || fields_is(fields, "stopped", "tracer"))
		reason = reason_index(wake->reasons, (struct reason){.purpose = fields_is(fields, "stopped", "signal") ? "stop" : "tracer"});
	else if (call)
		reason = reason_syscall(wake->reasons, call);
	free(call);
	return reason;
}

bool early_wait_begin(struct wake *wake, struct thread *thread, int16_t reason)
{
	struct piece *wait;

	if (reason == CALL_NONE)
		return false;
	wait = thread_piece(thread, WHAT_WAIT, core_since(wake), 0);
	wait->flags = PIECE_ASSUMED;
	wait->call = reason;
	poll_assumed(wake, thread);
	return true;
}
