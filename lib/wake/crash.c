#include "wake/name.h"
#include "wake/part.h"

/*
 * Threads that die of a signal for which the kernel writes a core file. A thread that gets such a signal, and does not handle it, never returns
 * to its program: from then on all that it does is its end, which takes longer the larger its memory is.
 */

/* Of a run; index: of the signal in the list. */
enum { CAUSE_CRASH = CAUSE(PART_CRASH, 0) };

/* The same numbers on all machines but Alpha, MIPS, PA-RISC and SPARC. */
static const struct {
	int number;
	const char *name;
} fatal[] = {
	{3, "SIGQUIT"}, {4, "SIGILL"}, {5, "SIGTRAP"}, {6, "SIGABRT"}, {7, "SIGBUS"}, {8, "SIGFPE"}, {11, "SIGSEGV"}, {24, "SIGXCPU"},
	{25, "SIGXFSZ"}, {31, "SIGSYS"},
};

enum { FATAL = sizeof(fatal) / sizeof(*fatal) };

static void on_deliver(struct at *at)
{
	enum { SIGNAL, HANDLER };
	struct thread *thread = at_own(at);

	if (!thread || !at_has(at, HANDLER) || at_number(at, HANDLER) != 0)
		return;
	for (int i = 0; i < FATAL; i++) {
		if (at_number(at, SIGNAL) != fatal[i].number)
			continue;
		thread->for_cause = CAUSE_CRASH;
		thread->for_index = i;
		thread_piece(thread, WHAT_RUN, at->wake->now, at->cpu->number);
	}
}

static bool tell_run(const struct wake *wake, const struct piece *run, int32_t asker, struct deed *deed)
{
	(void)wake, (void)asker;
	if (run->what != WHAT_RUN || run->cause != CAUSE_CRASH)
		return false;
	deed->kind = DEED_CRASH;
	deed->purpose = fatal[run->cause_index].name;
	return true;
}

static const struct part_event events[] = {
	{"signal:signal_deliver", on_deliver, {"sig", "sa_handler"}},
	{0},
};

const struct part crash_part = {.events = events, .tell_run = tell_run};
