#include "wake/retry.h"

#include <string.h>

#include "wake/ask.h"
#include "wake/context.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/request.h"
#include "wake/syscall.h"
#include "wake/writeback.h"

/*
 * A thread that asks again and again is answered once. A call that slept and returns without what it was for, because its
 * time was over or a signal came, was in vain. If the thread goes right back to the call, it has waited all the time for what
 * ends the last of these waits, not for the timers and signals in between. So interpreters ask for their lock and clients for
 * an answer, with a limit of time; and so does any thread that a profiler samples. A call in between that did not sleep and got
 * nothing was only a look, as a server looks at the connection of the client for which it waits.
 *
 * If a thread polls one file again and again, and a process that its own process started wakes it there, it has waited for that
 * process all along, whatever it did when a limit of time was over: so git tells its client that a hook still runs.
 *
 * If a signal breaks off a wait and the thread's end follows, the thread was killed while it waited: nobody ended that wait. A handler of the signal
 * may run before the end, for less time than the thread had waited, and not wait for anything to do. If the signal is one that asks for the end of
 * the process, the data need not show that end, unless the thread waits for signals or any of many events, or goes back to its wait.
 */
struct tries { /* calls that were in vain so far */
	uint64_t what; /* the futex or file of the last one */
	int64_t since; /* begin of the first; TIME_NONE: there are none */
	int16_t call;
	bool condition, timed; /* it is a futex that is no mutex; the last call had a limit of time */
};

struct retry { /* of a thread */
	struct tries tries;
	struct tries before; /* the tries before another call came in between */
	struct {
		uint64_t files;
		int64_t since; /* TIME_NONE: there are none */
	} polls; /* of one file, with one limit of time, whatever came in between */
	int32_t poll_limit;    /* of these polls, ms; 0: it is not told */
	uint32_t slept;	       /* one more than the index of its last wait; 0: none */
	bool now;	       /* the thread is in the last call */
	bool of_one;	       /* the last call is a poll of one file */
	bool in_condition;     /* the last call is for a futex that is no mutex */
	bool signalled, served; /* a signal ended the last try; since then the thread has woken one of another process in a call, or by sending */
	bool handled;	       /* the thread has called something since a signal broke its wait off */
	int16_t broken_call;   /* of that wait */
	int64_t broken;	       /* begin of the wait that a signal broke off, if the thread has waited for nothing to do since; TIME_NONE */
};

static struct retry *retry_of(const struct thread *thread)
{
	return thread->of[PART_RETRY];
}

static const struct tries no_tries = {.since = TIME_NONE, .call = CALL_NONE};

static void thread_begin(struct thread *thread)
{
	*retry_of(thread) = (struct retry){.tries = no_tries, .before = no_tries, .polls.since = TIME_NONE, .broken = TIME_NONE};
}

static void thread_lost(struct thread *thread)
{
	retry_of(thread)->now = false;
	retry_of(thread)->tries = retry_of(thread)->before = no_tries;
	retry_of(thread)->polls.since = TIME_NONE;
	retry_of(thread)->slept = 0;
}

/* If the thread is still in the same call, the wake-up in between ended nothing. */
static void sleeps_on(const struct wake *wake, struct thread *thread)
{
	size_t before = retry_of(thread)->slept;
	struct piece *wait = before ? &thread->pieces.items[before - 1] : NULL;

	if (wait && syscall_is_same(wake, thread, wait->start, wait->call))
		wait->flags |= PIECE_VAIN;
	retry_of(thread)->slept = (uint32_t)thread->pieces.count;
}

/* The wait that a signal broke off; NULL: there is none. */
static struct piece *broken_wait(const struct thread *thread)
{
	int64_t start = retry_of(thread)->broken;
	size_t count = start == TIME_NONE ? 0 : thread_find(thread, start);
	struct piece *wait = count > 0 && count < thread->pieces.count ? &thread->pieces.items[count - 1] : NULL;

	/* A timer that kills is a limit of time, like any other. */
	return wait && wait->what == WHAT_WAIT && wait->cause != CAUSE_TIMER ? wait : NULL;
}

/* The thread sleeps. If it does so in the call that a signal broke off, it has gone back to its wait. */
static void goes_back(struct thread *thread)
{
	struct piece *wait = broken_wait(thread);

	if (!wait || thread_last(thread)->call != retry_of(thread)->broken_call)
		return;
	wait->flags &= (piece_flags)~PIECE_BROKEN;
	retry_of(thread)->broken = TIME_NONE;
}

static void left(struct wake *wake, struct thread *thread)
{
	const struct retry *retry = retry_of(thread);

	if (!thread_asleep(thread) || thread->tid == TID_IDLE)
		return;
	goes_back(thread);
	if (retry->now && retry->in_condition)
		thread_last(thread)->flags |= PIECE_CONDITION;
	sleeps_on(wake, thread);
}

enum { FUTEX_WAIT = 0, FUTEX_WAIT_BITSET = 9, FUTEX_OPERATION = 0x7f };

/* bytes: the two words of a condition variable, which threads wait for in turn, are no further apart */
enum { NEAR = 64 };

/* Results of calls in vain. If the result is 512 or more, the kernel repeats the call, or returns EINTR, when the signal is handled. */
static const int vain[] = {
	4 /* EINTR */, 11 /* EAGAIN */, 62 /* ETIME */, 110 /* ETIMEDOUT */, 512 /* ERESTARTSYS */, 513 /* ERESTARTNOINTR */,
	514 /* ERESTARTNOHAND */, 516 /* ERESTART_RESTARTBLOCK */,
};

static bool is_vain(int64_t result)
{
	for (size_t i = 0; i < sizeof(vain) / sizeof(*vain); i++)
		if (result == -vain[i])
			return true;
	return false;
}

/* Tells whether a signal broke the call off: its handler or the thread's end is next. */
static bool is_broken(int64_t result)
{
	return is_vain(result) && result != -11 && result != -62 && result != -110;
}

/* Tells whether the call repeats the one before, which was in vain. Two futexes or files whose numbers differ by less than `distance` are one. */
static bool is_again(const struct thread *thread, uint64_t what, uint64_t distance)
{
	const struct tries *tries = &retry_of(thread)->tries;
	uint64_t from = what > tries->what ? what - tries->what : tries->what - what;

	return tries->since != TIME_NONE && !retry_of(thread)->now && tries->call == syscall_of(thread)->name && from < distance;
}

/*
 * After a signal without a handler, such as the one that lets a stopped process go on, the kernel itself repeats the call, and no event shows that
 * it returns. So if the thread has done something for another process since, it had got what it waited for.
 */
static bool was_answered(const struct wake *wake, const struct thread *thread)
{
	const struct retry *retry = retry_of(thread);

	return retry->signalled && retry->served && reason_at(wake->reasons, retry->tries.call)->many;
}

static void begin_try(struct wake *wake, struct thread *thread, uint64_t what, uint64_t distance)
{
	struct retry *retry = retry_of(thread);
	bool again = is_again(thread, what, distance) && !was_answered(wake, thread);

	if (!again) {
		retry->before = retry->now ? no_tries : retry->tries;
		retry->tries.since = wake->now;
		retry->signalled = retry->served = false;
	}
	retry->tries.call = syscall_of(thread)->name;
	retry->tries.what = what;
	retry->of_one = false;
	retry->now = true;
}

static void on_call(struct at *at)
{
	struct thread *thread = at_thread(at);

	if (thread->tid == TID_IDLE)
		return;
	retry_of(thread)->in_condition = false;
	begin_try(at->wake, thread, (uint64_t)syscall_of(thread)->fd, 1);
}

static void on_poll(struct at *at)
{
	enum { FILES, COUNT, LIMIT };
	struct retry *retry = retry_of(at_thread(at));
	uint64_t files = (uint64_t)at_number(at, FILES);
	int32_t limit = at_has(at, LIMIT) ? (int32_t)at_number(at, LIMIT) : 0;

	on_call(at);
	retry->of_one = at_number(at, COUNT) == 1;
	if (retry->of_one && (retry->polls.since == TIME_NONE || retry->polls.files != files || retry->poll_limit != limit))
		retry->polls.since = at->wake->now;
	else if (!retry->of_one)
		retry->polls.since = TIME_NONE;
	retry->polls.files = files;
	retry->poll_limit = limit;
}

/*
 * A thread that gives up at a condition needs the condition's lock again, and the lock's futex is often right beside it. That wait is no try,
 * and the thread may go back to the condition. If the last try had a limit of time and the new call has none, the thread waits for something
 * else: a Java thread parks at one place, whatever it waits for.
 */
static void on_futex(struct at *at)
{
	enum { ADDRESS, OPERATION, LIMIT };
	struct thread *thread = at_thread(at);
	struct retry *retry = retry_of(thread);
	uint64_t address = (uint64_t)at_number(at, ADDRESS);
	int64_t operation = at_number(at, OPERATION) & FUTEX_OPERATION;
	bool timed = at_has(at, LIMIT) && at_number(at, LIMIT) != 0, again = is_again(thread, address, NEAR);

	if (thread->tid == TID_IDLE)
		return;
	retry->in_condition = operation == FUTEX_WAIT_BITSET; /* as the C library does, with conditions and semaphores */
	if (operation != FUTEX_WAIT && !retry->in_condition)
		return;
	if (again && retry->tries.condition && !retry->in_condition)
		return;
	if (again && retry->tries.timed && !timed)
		retry->tries = no_tries;
	begin_try(at->wake, thread, address, NEAR);
	retry->tries.condition = retry->in_condition;
	retry->tries.timed = timed;
}

/* The last wait of the call that the thread is in; NULL: it did not sleep in it. */
static const struct piece *wait_of_call(const struct thread *thread)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= syscall_of(thread)->since;)
		if (syscall_waits(thread, &thread->pieces.items[i]))
			return &thread->pieces.items[i];
	return NULL;
}

/* The cause of a wait, as it explains the waits in vain before it. These may have been over before a packet was sent, or a timer was armed. */
static void cause_of(const struct wake *wake, const struct piece *wait, uint8_t *cause, int32_t *index)
{
	*cause = wait->cause;
	*index = wait->cause_index;
	if (wait->cause == CAUSE_RAISED) {
		*cause = CAUSE_THREAD;
		*index = wake->raises.items[wait->cause_index].thread;
	}
	if (wait->cause == CAUSE_TIMER || wait->cause == CAUSE_SENT)
		*index = INDEX_NONE;
}

/* The same. False: it explains only this wait. */
static bool answer_of(const struct wake *wake, const struct thread *thread, const struct piece *wait, uint8_t *cause,
		      int32_t *index)
{
	cause_of(wake, wait, cause, index);
	if (*cause == CAUSE_NONE || *cause == CAUSE_REQUEST || *cause == CAUSE_DIRTY)
		return false;
	return *cause != CAUSE_THREAD || *index != thread->index;
}

/* What ended this wait ended all waits in vain since `since`, except in the same call: there a thread may wait for one thing after the other. */
static void give(const struct thread *thread, int64_t since, const struct piece *wait, uint8_t cause, int32_t index)
{
	struct piece *piece = &thread->pieces.items[thread_find(thread, since)];

	for (; piece < wait && piece->start < syscall_of(thread)->since; piece++) {
		if (!syscall_waits(thread, piece) && (piece->what != WHAT_WAIT || piece->call != wait->call))
			continue;
		if (wait->flags & PIECE_CONDITION && !(piece->flags & PIECE_CONDITION))
			continue;
		piece->cause = cause;
		piece->cause_index = index;
		piece->flags |= PIECE_TICK;
	}
}

/* Tells whether the thread did next to nothing else since then, up to and including that piece. */
static bool only_asked(const struct thread *thread, int64_t since, const struct piece *piece)
{
	return thread_idled(thread, thread_find(thread, since), (size_t)(piece - thread->pieces.items), 0);
}

/* When the thread itself ended the last wait of the other; TIME_NONE: it did not. */
static int64_t woke_at(const struct wake *wake, const struct thread *thread, const struct thread *other)
{
	for (size_t i = other->pieces.count; i-- > 0;)
		if (other->pieces.items[i].what == WHAT_WAIT && i + 1 < other->pieces.count)
			return core_ender(wake, &other->pieces.items[i]).thread == thread->index ? thread_piece_end(wake, other, i) : TIME_NONE;
	return TIME_NONE;
}

/* The last wait since the first try that was over by then; NULL: there is none. */
static const struct piece *over_by(const struct wake *wake, const struct thread *thread, int64_t ts)
{
	for (size_t i = ts == TIME_NONE ? 0 : thread_find(thread, ts); i-- > 0 && thread->pieces.items[i].start >= retry_of(thread)->tries.since;)
		if (thread->pieces.items[i].what == WHAT_WAIT && thread_piece_end(wake, thread, i) <= ts)
			return &thread->pieces.items[i];
	return NULL;
}

/*
 * If the thread, between two tries, woke the thread that answers it, what ended the try before was no mere interruption: so a signal's handler tells
 * another thread that a child has ended, and that thread tells the one that waits for the child.
 */
static void answer(struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	int64_t since = retry_of(thread)->tries.since;
	const struct piece *asked;
	int32_t index, before;
	uint8_t cause, cause_before;

	if (!answer_of(wake, thread, wait, &cause, &index) || !only_asked(thread, since, wait))
		return;
	asked = cause == CAUSE_THREAD ? over_by(wake, thread, woke_at(wake, thread, wake->threads.items[index])) : NULL;
	if (asked) {
		cause_of(wake, asked, &cause_before, &before);
		give(thread, since, asked, cause_before, before);
		since = asked[1].start;
	}
	give(thread, since, wait, cause, index);
}

/* The begin of the first of these polls that was not over when the process began: earlier polls were for something else. */
static int64_t polled_since(const struct thread *thread, int64_t began)
{
	size_t count = thread_find(thread, began);

	return later(retry_of(thread)->polls.since, count ? thread->pieces.items[count - 1].start - 1 : TIME_NONE);
}

/* The wait of a poll of one file is over. */
static void polled(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	int64_t began, since;
	int32_t index;
	uint8_t cause;

	if (retry_of(thread)->polls.since == TIME_NONE || !answer_of(wake, thread, wait, &cause, &index) || cause != CAUSE_THREAD)
		return;
	began = core_started(wake, thread, wake->threads.items[index]);
	if (began == TIME_NONE)
		return;
	since = polled_since(thread, began);
	if (only_asked(thread, since, wait))
		give(thread, since, wait, cause, index);
}

/* If a thread has asked again and still waits, its limits of time were no answers: the waits in vain have no end yet. */
static void cut(struct wake *wake)
{
	for (size_t i = 0; i < wake->threads.count; i++) {
		const struct thread *thread = wake->threads.items[i];
		const struct piece *wait = retry_of(thread)->now && thread_asleep(thread) ? wait_of_call(thread) : NULL;
		int64_t since = retry_of(thread)->tries.since;

		if (wait && wait > thread->pieces.items && since < syscall_of(thread)->since && only_asked(thread, since, wait - 1))
			give(thread, since, wait, CAUSE_NONE, INDEX_NONE);
	}
}

/* A call in which the thread slept returns. What the thread does after a signal may sleep, too, but not for something to do. */
static void note_broken(const struct wake *wake, struct retry *retry, const struct piece *wait, bool broken)
{
	const struct reason *reason = reason_at(wake->reasons, wait->call);

	if (broken) {
		retry->broken = wait->start;
		retry->broken_call = wait->call;
		retry->handled = false;
	} else if (wait->call == retry->broken_call || wait->flags & PIECE_CONDITION || reason->many || reason->receives) {
		retry->broken = TIME_NONE;
	}
}

static void returns(struct wake *wake, struct thread *thread, int64_t result)
{
	struct retry *retry = retry_of(thread);
	const struct piece *wait = retry->now || syscall_of(thread)->name != CALL_NONE ? wait_of_call(thread) : NULL;

	if (wait)
		note_broken(wake, retry, wait, is_broken(result));
	if (!retry->now)
		return;
	retry->now = false;
	if (result > 0 && retry->of_one) {
		if (wait)
			polled(wake, thread, wait);
		retry->polls.since = TIME_NONE;
	}
	if (!wait && (is_vain(result) || result == 0) && retry->before.since != TIME_NONE) {
		retry->tries = retry->before;
		retry->before = no_tries;
		return;
	}
	retry->signalled = is_broken(result);
	if (is_vain(result))
		return;
	if (wait)
		answer(wake, thread, wait);
	retry->tries = no_tries;
}

static void enters(struct wake *wake, struct thread *thread)
{
	(void)wake;
	retry_of(thread)->handled |= syscall_of(thread)->name != CALL_NONE;
}

static void woke(struct wake *wake, const struct waking *waking)
{
	struct thread *waker = waking->cause == CAUSE_THREAD   ? wake->threads.items[waking->index]
			       : waking->cause == CAUSE_RAISED ? wake->threads.items[wake->raises.items[waking->index].thread]
							       : NULL;

	if (waker && retry_of(waker)->signalled && (waking->cause == CAUSE_RAISED || syscall_of(waker)->name != CALL_NONE) &&
	    !core_same_process(wake, waker, waking->woken->index))
		retry_of(waker)->served = true;
}

static void on_thread_exit(struct at *at)
{
	enum { PID };
	struct thread *thread = at->current && at->current->tid == (int32_t)at_number(at, PID) ? at->current : NULL;
	struct piece *wait = thread ? broken_wait(thread) : NULL;

	if (wait && (!retry_of(thread)->handled || at->wake->now - wait[1].start < wait[1].start - wait->start))
		wait->flags |= PIECE_BROKEN;
}

static bool asks_for_end(int64_t signal)
{
	return signal == 2 /* SIGINT */ || signal == 3 /* SIGQUIT */ || signal == 6 /* SIGABRT */ || signal == 15 /* SIGTERM */;
}

/* Tells whether the call waits for signals, whatever they ask for, or for any of many events. */
static bool takes_signals(const struct reason *reason)
{
	return reason->many || !reason->syscall || strcmp(reason->syscall, "pause") == 0 || strcmp(reason->syscall, "rt_sigsuspend") == 0;
}

static void on_deliver(struct at *at)
{
	enum { SIGNAL, HANDLER, IGNORED = 1 };
	struct thread *thread = at_own(at);
	struct piece *wait = thread && !retry_of(thread)->handled ? broken_wait(thread) : NULL;

	if (wait && asks_for_end(at_number(at, SIGNAL)) && at_number(at, HANDLER) != IGNORED &&
	    !takes_signals(reason_at(at->wake->reasons, wait->call)))
		wait->flags |= PIECE_BROKEN;
}

static const struct part_event events[] = {
	{"syscalls:sys_enter_futex", on_futex, {"uaddr", "op", "utime"}},
	{"syscalls:sys_enter_poll", on_poll, {"ufds", "nfds", "timeout_msecs"}},
	{"syscalls:sys_enter_ppoll", on_poll, {"ufds", "nfds"}},
	{"syscalls:sys_enter_", on_call},
	{"sched:sched_process_exit", on_thread_exit, {"pid"}},
	{"signal:signal_deliver", on_deliver, {"sig", "sa_handler"}},
	{0},
};

const struct part retry_part = {
	.events = events,
	.thread = sizeof(struct retry),
	.thread_begin = thread_begin,
	.thread_lost = thread_lost,
	.returns = returns,
	.enters = enters,
	.woke = woke,
	.left = left,
	.cut = cut,
};
