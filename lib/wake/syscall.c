#include "wake/syscall.h"

#include "base/memory.h"
#include "base/number.h"
#include "wake/part.h"
#include "wake/name.h"

/* A thread that slept in a call when tracing began. */
struct early_sleep {
	int32_t tid;
	int64_t ts;
};

struct early_sleeps {
	ARRAY(struct early_sleep) list;
	int64_t last; /* the latest time in it: no later event is of such a sleep */
	bool all_end; /* the data have the returns from all calls */
};

static struct early_sleeps *early_of(const struct wake *wake)
{
	return wake->of[PART_SYSCALL];
}

static int read_traced(struct wake *wake, const struct fields *fields)
{
	int64_t tid = 0, ts = 0;
	int found = fields_integer(fields, "within", &tid);

	if (found > 0)
		found = fields_time(fields, "ts", &ts);
	if (found > 0 && tid > 0 && tid <= INT32_MAX) {
		early_of(wake)->last = early_of(wake)->list.count ? later(early_of(wake)->last, ts) : ts;
		*ARRAY_ADD(&early_of(wake)->list) = (struct early_sleep){(int32_t)tid, ts};
	}
	return found < 0 ? -1 : 0;
}

static void forget_meanings(struct wake *wake)
{
	ARRAY_FREE(&early_of(wake)->list);
}

/*
 * Tells whether trace-collect made the event from what /proc told: the thread has slept in its call since before the trace, and is not on
 * the CPU that the event names.
 */
static bool slept_early(const struct wake *wake, const struct event *event)
{
	const struct early_sleeps *early = early_of(wake);

	for (size_t i = 0; event->ts <= early->last && i < early->list.count; i++)
		if (early->list.items[i].tid == event->tid && early->list.items[i].ts == event->ts)
			return true;
	return false;
}

bool syscall_waits(const struct thread *thread, const struct piece *piece)
{
	const struct in_call *call = syscall_of(thread);

	return piece->what == WHAT_WAIT && (piece->call == call->name || piece->call == call->named);
}

bool syscall_is_same(const struct wake *wake, const struct thread *thread, int64_t then, int16_t call)
{
	return syscall_of(thread)->since <= then && (early_of(wake)->all_end || call != CALL_NONE);
}

static void thread_begin(struct thread *thread)
{
	*syscall_of(thread) = (struct in_call){.name = CALL_NONE, .named = CALL_NONE, .fd = FD_NONE};
}

static void thread_lost(struct thread *thread)
{
	syscall_of(thread)->name = CALL_NONE;
	syscall_of(thread)->seen = false;
}

static void left(struct wake *wake, struct thread *thread)
{
	(void)wake;
	if (thread_asleep(thread))
		thread_last(thread)->call = syscall_of(thread)->name;
}

/* From now on the thread is in this system call, for this descriptor. The idle thread calls nothing. */
static void enter(struct at *at, int16_t name, int32_t fd)
{
	struct thread *thread = at_thread(at);

	if (thread->tid == TID_IDLE)
		return;
	*syscall_of(thread) = (struct in_call){.name = name, .named = CALL_NONE, .fd = fd, .since = at->wake->now, .seen = true};
	for (const struct part *const *part = at->wake->hooks->enters; *part; part++)
		(*part)->enters(at->wake, thread);
}

/* The descriptor that the call is for, if its event names one. */
static int32_t descriptor(const struct at *at)
{
	enum { FD, FD_IN, OUT_FD, NAMES };

	for (int field = FD; field < NAMES; field++)
		if (at_has(at, field))
			return (int32_t)at_number(at, field);
	return FD_NONE;
}

/* The reason of a call that waits for any of many files. If the call names no file, it only sleeps. */
static int16_t reason_for(const struct at *at, int16_t name, int64_t files)
{
	struct reason reason = *reason_at(at->wake->reasons, name);

	if (files)
		return name;
	reason.naps = true;
	return reason_index(at->wake->reasons, reason);
}

static void on_entry(struct at *at)
{
	enum { FILES = 3, HIGHEST };
	int16_t name = at_named(at);

	if (at_has(at, FILES) || at_has(at, HIGHEST))
		name = reason_for(at, name, at_has(at, FILES) ? at_number(at, FILES) : at_number(at, HIGHEST));
	enter(at, name, descriptor(at));
}

static void sleeps(struct wake *wake, struct thread *thread, uint32_t cpu)
{
	if (!thread_unseen(thread))
		return;
	thread_piece(thread, WHAT_WAIT, wake->now, cpu)->flags |= PIECE_ASSUMED;
	for (const struct part *const *part = wake->hooks->left; *part; part++)
		(*part)->left(wake, thread);
}

static void on_raw_entry(struct at *at)
{
	enum { ID, ARGUMENTS };
	int16_t name = name_call(at->wake, (int)at_number(at, ID));
	int files = reason_at(at->wake->reasons, name)->files;

	if (files && at_has(at, ARGUMENTS))
		name = reason_for(at, name, at_element(at, ARGUMENTS, (unsigned)files - 1));
	enter(at, name, (int32_t)at_element(at, ARGUMENTS, 0));
	if (!at->current && slept_early(at->wake, at->event))
		sleeps(at->wake, at_thread(at), at->cpu->number);
}

/* The thread returns from a call that it has been in since before the data: so it waited in this call. */
static void was_in(struct thread *thread, int16_t name)
{
	for (size_t i = thread->pieces.count; i-- > 0;) {
		struct piece *piece = &thread->pieces.items[i];

		if (piece->what != WHAT_WAIT)
			continue;
		if (piece->flags & PIECE_ASSUMED && piece->call == CALL_NONE)
			piece->call = name;
		return;
	}
}

static void returns(struct at *at, int16_t name, bool has_result, int64_t result)
{
	struct thread *thread = at_thread(at);

	/* If a call fails in this way, the data lack its entry even if it began within them. */
	if (thread->tid != TID_IDLE && !syscall_of(thread)->seen && name != CALL_NONE &&
	    !(has_result && reasons_fails(at->wake->reasons, reason_at(at->wake->reasons, name)->syscall, result)))
		was_in(thread, name);
	if (thread->tid != TID_IDLE && has_result)
		for (const struct part *const *part = at->wake->hooks->returns; *part; part++)
			(*part)->returns(at->wake, thread, result);
	enter(at, CALL_NONE, FD_NONE);
}

static void on_return(struct at *at)
{
	enum { RESULT };

	returns(at, at_named(at), at_has(at, RESULT), at_number(at, RESULT));
}

static void on_raw_return(struct at *at)
{
	enum { RESULT, ID };

	early_of(at->wake)->all_end = true;
	returns(at, at_has(at, ID) ? name_call(at->wake, (int)at_number(at, ID)) : CALL_NONE, at_has(at, RESULT), at_number(at, RESULT));
}

static int16_t call_named(struct wake *wake, const char *name, bool *returns)
{
	(void)returns;
	return reason_syscall(wake->reasons, name);
}

static const struct part_event events[] = {
	{"raw_syscalls:sys_enter", on_raw_entry, {"id", "args"}},
	{"raw_syscalls:sys_exit", on_raw_return, {"ret", "id"}},
	{"syscalls:sys_enter_", on_entry, {"fd", "fd_in", "out_fd", "nfds", "n"}, .named = call_named},
	{"syscalls:sys_exit_", on_return, {"ret"}, .named = call_named},
	{0},
};

static const struct part_record records[] = {{KIND_TRACED, read_traced}, {0}};

const struct part syscall_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct early_sleeps),
	.forget_meanings = forget_meanings,
	.free = forget_meanings,
	.thread = sizeof(struct in_call),
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.elsewhere = slept_early,
	.left = left,
};
