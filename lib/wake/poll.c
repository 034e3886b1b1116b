#include "wake/poll.h"

#include <stdlib.h>
#include <string.h>

#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/name.h"
#include "wake/part.h"
#include "wake/syscall.h"
#include "wake/walk.h"

/*
 * Polling for a lock: a thread tries to get it, fails, sleeps, and tries again. The sleeps are its own, but the cause is the thread that holds
 * the lock. Locks of files have events that name the file, the range and the thread; other tries are known only by what the call returns,
 * and the holder of their lock is not known. A shell polls through its children: one tries and ends, the next one sleeps.
 *
 * If a lock was taken before the data, the collector tells which process has it (source/locks.h). That also explains a wait for a lock that
 * nobody has given back yet.
 */

/* At least this number of tries in a row is polling. */
enum { TRIES_MIN = 2 };

struct poll { /* one thread's tries in a row */
	uint64_t dev, inode; /* of the file; 0: not known */
	int64_t from, to;    /* the range */
	int64_t first, last; /* when the first try failed, and the last */
	int tries;
	bool waits;   /* the thread does not try again, but waits */
	int16_t call; /* index of a text */
};

struct held { /* a locked range of a file */
	uint64_t dev, inode;
	int64_t from, to;
	int32_t thread;	      /* index of the thread that took the lock, or gave it back */
	int64_t since, until; /* TIME_NONE: before the data; not yet */
};

enum { FILE_PATH = 128 };

struct lock_report { /* the collector's, of a file that a thread tries to lock */
	uint64_t dev, inode;
	int64_t from, to;
	int32_t by;  /* the thread */
	int32_t pid; /* of the holder; 0: not known */
	char path[FILE_PATH]; /* "": not known */
};

struct polls { /* of the window */
	ARRAY(struct poll) polls;
	ARRAY(struct held) held;
	ARRAY(struct lock_report) reports;
};

struct poll_sleep { /* between two tries */
	int64_t start;
	int64_t from, to; /* the range of the try before it */
	int32_t poll;
};

struct polling { /* of a thread */
	ARRAY(struct poll_sleep) sleeps;
	int32_t poll;  /* index of its tries; INDEX_NONE: it does not poll */
	int32_t child; /* index of the child that tried last; INDEX_NONE: the thread itself did */
	bool tried;    /* it, or the child, has tried, and has not slept since */
};

static struct polls *polls_of(const struct wake *wake)
{
	return wake->of[PART_POLL];
}

static struct polling *of(const struct thread *thread)
{
	return thread->of[PART_POLL];
}

static void thread_begin(struct thread *thread)
{
	*of(thread) = (struct polling){.poll = INDEX_NONE, .child = INDEX_NONE};
}

static void thread_lost(struct thread *thread)
{
	of(thread)->poll = of(thread)->child = INDEX_NONE;
	of(thread)->tried = false;
}

static void forget(struct wake *wake)
{
	ARRAY_FREE(&polls_of(wake)->polls);
	ARRAY_FREE(&polls_of(wake)->held);
	ARRAY_FREE(&polls_of(wake)->reports);
}

/* --- tries ---------------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct poll *poll, const struct poll *try)
{
	return poll->call == try->call && poll->dev == try->dev && poll->inode == try->inode && poll->waits == try->waits;
}

static void note(struct wake *wake, struct thread *thread, const struct poll *try, int32_t child)
{
	struct polling *polling = of(thread);
	struct polls *polls = polls_of(wake);
	struct poll *poll = polling->poll == INDEX_NONE ? NULL : &polls->polls.items[polling->poll];

	if (!poll || !is_same(poll, try)) {
		polling->poll = (int32_t)polls->polls.count;
		poll = ARRAY_ADD(&polls->polls);
		*poll = *try;
		poll->first = wake->now;
		poll->tries = 0;
	}
	poll->tries += !polling->tried || poll->tries == 0;
	poll->last = wake->now;
	poll->from = try->from;
	poll->to = try->to;
	polling->tried = true;
	polling->child = child;
}

static void fails(struct wake *wake, struct thread *thread, const struct poll *try)
{
	note(wake, thread, try, INDEX_NONE);
	if (thread->parent != INDEX_NONE)
		note(wake, wake->threads.items[thread->parent], try, thread->index);
}

/* A call returned an error after which threads try again. on_lock() has already noted tries for locks of files. */
static void returned(struct wake *wake, struct thread *thread, const char *call, int64_t result)
{
	struct poll try = {.to = INT64_MAX};

	if (of(thread)->tried || !reasons_fails(wake->reasons, call, result))
		return;
	try.call = name_text(wake->names, call);
	fails(wake, thread, &try);
}

static void returns(struct wake *wake, struct thread *thread, int64_t result)
{
	const char *call = result < 0 ? reason_at(wake->reasons, syscall_of(thread)->name)->syscall : NULL;

	if (call)
		returned(wake, thread, call, result);
}

static void on_exit_call(struct at *at)
{
	enum { RESULT };
	struct thread *thread = at_thread(at);

	if (thread->tid != TID_IDLE && at_named(at) != CALL_NONE)
		returned(at->wake, thread, name_at(at->wake->names, at_named(at), ""), at_number(at, RESULT));
}

static int16_t call_named(struct wake *wake, const char *name, bool *returns)
{
	(void)returns;
	return name_text(wake->names, name);
}

/* --- locks of files ------------------------------------------------------------------------------------------------------- */

static bool are_one_process(const struct wake *wake, int32_t one, int32_t other)
{
	int32_t process = one == other ? 0 : events_tgid(wake->events, wake->threads.items[one]->tid);

	return one == other || (process && process == events_tgid(wake->events, wake->threads.items[other]->tid));
}

static bool overlap(const struct held *held, const struct poll *poll)
{
	return held->dev == poll->dev && held->inode == poll->inode && held->from <= poll->to && poll->from <= held->to;
}

/* The collector's last record of this file and range that knows the holder (`holder`), or the path (else). NULL: there is none. */
static const struct lock_report *report_of(const struct wake *wake, const struct poll *poll, bool holder)
{
	const struct polls *polls = polls_of(wake);

	for (size_t i = polls->reports.count; poll->inode && i-- > 0;) {
		const struct lock_report *report = &polls->reports.items[i];

		if (report->dev == poll->dev && report->inode == poll->inode && report->from <= poll->to && poll->from <= report->to &&
		    (holder ? report->pid > 0 : *report->path))
			return report;
	}
	return NULL;
}

static void unlock(struct wake *wake, const struct thread *thread, const struct poll *range)
{
	struct polls *polls = polls_of(wake);
	bool known = false;

	for (size_t i = polls->held.count; i-- > 0;) {
		struct held *held = &polls->held.items[i];

		if (!overlap(held, range) || !are_one_process(wake, held->thread, thread->index))
			continue;
		known = true;
		if (held->until == TIME_NONE)
			held->until = wake->now;
	}
	if (!known) /* if it had the lock, it took it before the data */
		*ARRAY_ADD(&polls->held) = (struct held){range->dev,	range->inode, range->from, range->to,
							 thread->index, TIME_NONE,    wake->now};
}

enum { TYPE_UNLOCK = 2, DEFERRED = 1, LOCKS_MAX = 1 << 12 };

static void on_lock(struct at *at, const char *call)
{
	enum { DEV, INODE, TYPE, RESULT, START, END };
	struct thread *thread = at_own(at);
	struct poll try = {.dev = (uint64_t)at_number(at, DEV), .inode = (uint64_t)at_number(at, INODE),
			   .from = at_number(at, START), .to = at_number(at, END)};
	int64_t result = at_number(at, RESULT);

	if (!thread)
		return;
	try.call = name_text(at->wake->names, call);
	if (polls_of(at->wake)->held.count >= LOCKS_MAX)
		polls_of(at->wake)->held.count = 0;
	try.waits = result == DEFERRED;
	if (try.waits)
		note(at->wake, thread, &try, INDEX_NONE);
	else if (result == -11)
		fails(at->wake, thread, &try);
	else if (result == 0 && at_number(at, TYPE) == TYPE_UNLOCK)
		unlock(at->wake, thread, &try);
	else if (result == 0)
		*ARRAY_ADD(&polls_of(at->wake)->held) =
			(struct held){try.dev, try.inode, try.from, try.to, thread->index, at->wake->now, TIME_NONE};
}

static void on_posix_lock(struct at *at)
{
	on_lock(at, "fcntl");
}

static void on_flock(struct at *at)
{
	on_lock(at, "flock");
}

static void left(struct wake *wake, struct thread *thread);

/* The thread has slept since before the data, so its try is not among them: it is noted here. */
static void note_sleeper(struct wake *wake, struct thread *thread, const struct lock_report *report)
{
	struct poll try = {.dev = report->dev, .inode = report->inode, .from = report->from, .to = report->to, .waits = true};
	const char *call = reason_at(wake->reasons, thread_last(thread)->call)->syscall;

	if (!call)
		return;
	try.call = name_text(wake->names, call);
	note(wake, thread, &try, INDEX_NONE);
	left(wake, thread);
}

void poll_assumed(struct wake *wake, struct thread *thread)
{
	const struct polls *polls = polls_of(wake);

	if (!thread_asleep(thread) || !(thread_last(thread)->flags & PIECE_ASSUMED) || thread_last(thread)->flags & PIECE_POLL)
		return;
	for (size_t i = polls->reports.count; i-- > 0;)
		if (polls->reports.items[i].by == thread->tid) {
			note_sleeper(wake, thread, &polls->reports.items[i]);
			return;
		}
}

static void on_holder(struct at *at)
{
	enum { PID, DEV, INODE, START, END, PATH };
	struct lock_report *report;
	int32_t by = at->event->tid;
	struct thread *thread;

	if (polls_of(at->wake)->reports.count >= LOCKS_MAX)
		return;
	report = ARRAY_ADD(&polls_of(at->wake)->reports);
	*report = (struct lock_report){.dev = (uint64_t)at_number(at, DEV), .inode = (uint64_t)at_number(at, INODE), .from = at_number(at, START),
			      .to = at_number(at, END), .pid = (int32_t)at_number(at, PID), .by = by};
	at_text(at, PATH, report->path, sizeof(report->path));
	HASH_FIND_INT(at->wake->by_tid, &by, thread);
	if (thread)
		poll_assumed(at->wake, thread);
}

/* --- sleeps between tries ------------------------------------------------------------------------------------------------- */

/* The tries that this thread's sleep is between: its own; or its parent's, if an earlier child of that tried and ended before this one began. */
static struct polling *behind(const struct wake *wake, const struct thread *thread)
{
	const struct thread *parent = thread->parent == INDEX_NONE ? NULL : wake->threads.items[thread->parent];
	const struct thread *tried = parent && of(parent)->child != INDEX_NONE ? wake->threads.items[of(parent)->child] : NULL;

	if (!tried || tried == thread || tried->died == TIME_NONE || thread->born == TIME_NONE || tried->died > thread->born)
		return of(thread)->child == INDEX_NONE ? of(thread) : NULL;
	return of(parent);
}

static void add_sleep(const struct wake *wake, struct thread *thread, const struct piece *wait, int32_t poll)
{
	const struct poll *last = &polls_of(wake)->polls.items[poll];

	*ARRAY_ADD(&of(thread)->sleeps) = (struct poll_sleep){wait->start, last->from, last->to, poll};
}

static void woke(struct wake *wake, const struct waking *waking)
{
	struct thread *thread = waking->woken;
	struct polling *polling = waking->cause == CAUSE_TIMER && thread->pieces.count > 1 ? behind(wake, thread) : NULL;
	struct piece *wait = polling ? &thread->pieces.items[thread->pieces.count - 2] : NULL;

	if (!wait || wait->what != WHAT_WAIT)
		return;
	if (!polling->tried) {
		polling->poll = INDEX_NONE; /* it sleeps for something else */
		return;
	}
	polling->tried = false;
	wait->flags |= PIECE_POLL;
	add_sleep(wake, thread, wait, polling->poll);
}

/* The thread goes to sleep for a lock that another thread has. */
static void left(struct wake *wake, struct thread *thread)
{
	struct polling *polling = of(thread);

	if (!polling->tried || !polls_of(wake)->polls.items[polling->poll].waits || !thread_asleep(thread))
		return;
	polling->tried = false;
	thread_last(thread)->flags |= PIECE_POLL;
	add_sleep(wake, thread, thread_last(thread), polling->poll);
}

/* The tries around this wait, with the range of the try before it. False: there are none. */
static bool poll_of(const struct wake *wake, const struct thread *thread, const struct piece *wait, struct poll *poll)
{
	size_t at = COUNT_UNTIL(of(thread)->sleeps.items, of(thread)->sleeps.count, start, wait->start);
	const struct poll_sleep *sleep = at ? &of(thread)->sleeps.items[at - 1] : NULL;

	if (!sleep)
		return false;
	*poll = polls_of(wake)->polls.items[sleep->poll];
	poll->from = sleep->from;
	poll->to = sleep->to;
	return true;
}

static int64_t time_in(const struct held *held, int64_t from, int64_t to)
{
	return (held->until == TIME_NONE ? to : sooner(to, held->until)) - later(from, held->since);
}

/* The holder that had the lock for longest in this time. A holder that was seen to take the lock goes before others. NULL: none is known. */
static const struct held *holder_of(const struct wake *wake, const struct thread *thread, const struct poll *poll, int64_t from, int64_t to)
{
	const struct polls *polls = polls_of(wake);
	const struct held *found = NULL;

	for (size_t i = 0; poll->inode && i < polls->held.count; i++) {
		const struct held *held = &polls->held.items[i];

		if (!overlap(held, poll) || time_in(held, from, to) <= 0 || are_one_process(wake, held->thread, thread->index) ||
		    held->thread == thread->parent)
			continue;
		if (found && (held->since == TIME_NONE) != (found->since == TIME_NONE)) {
			found = found->since == TIME_NONE ? held : found;
			continue;
		}
		if (!found || time_in(held, from, to) > time_in(found, from, to))
			found = held;
	}
	return found;
}

/*
 * Adds the thread that has had the lock since before the data, as the collector told. A process that is known to have taken or given it back in
 * the data is there already.
 */
static void add_reported(struct wake *wake, const struct poll *poll)
{
	const struct lock_report *report = report_of(wake, poll, true);
	const struct thread *holder = report ? core_thread(wake, report->pid) : NULL;
	struct polls *polls = polls_of(wake);

	for (size_t i = 0; holder && i < polls->held.count; i++)
		if (overlap(&polls->held.items[i], poll) && are_one_process(wake, polls->held.items[i].thread, holder->index))
			return;
	if (holder && polls->held.count < LOCKS_MAX)
		*ARRAY_ADD(&polls->held) = (struct held){report->dev, report->inode, report->from, report->to, holder->index, TIME_NONE, TIME_NONE};
}

static const char *path_of(const struct wake *wake, const struct poll *poll)
{
	const struct lock_report *report = report_of(wake, poll, false);

	return report ? report->path : NULL;
}

/* The data do not show the holder of the lock. */
static int32_t unknown_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const struct poll *poll, int64_t end)
{
	struct deed_detail detail = DEED_DETAIL_NONE;
	struct deed deed = deed_of(DEED_POLL);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	deed.syscall = name_at(cut->wake->names, poll->call, "?");
	deed.file = path_of(cut->wake, poll);
	detail.period = (poll->last - poll->first) / (poll->tries - 1);
	index = wait_end_node(cut, thread, wait, WHAT_UNKNOWN, wait->start, end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	graph_detail(cut->graph, index, &detail);
	return index;
}

/* The lock is free, and the thread still sleeps. */
static int32_t late_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t from, int64_t end)
{
	struct deed deed = deed_of(DEED_SLEEP);
	int32_t index;

	deed.who = wake_comm_at(cut->wake, thread, wait->start);
	deed_in(cut->wake, &deed, wait);
	index = wait_end_node(cut, thread, wait, WHAT_TIMER, from, end, &deed);
	cut->graph->nodes.items[index].who_tid = thread->tid;
	return index;
}

/* Tells whether nothing is known of what the thread did then. */
static bool is_silent(const struct thread *thread, int64_t ts)
{
	size_t at = thread_find(thread, ts);

	return at == 0 || (thread->pieces.items[at - 1].what == WHAT_UNKNOWN && !(thread->pieces.items[at - 1].flags & PIECE_LOST));
}

static int32_t holding_node(struct cut *cut, const struct thread *thread, const struct poll *poll, const struct thread *holder, int64_t from, int64_t end)
{
	struct deed deed = deed_of(DEED_HOLD_LOCK);
	int32_t index;

	deed.who = wake_comm_at(cut->wake, holder, from);
	deed.whom = wake_comm_at(cut->wake, thread, from);
	deed.file = path_of(cut->wake, poll);
	index = new_node(cut, WHAT_UNKNOWN, from, end, holder->tid, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

static void explain_held(struct walk *walk, const struct thread *thread, const struct piece *wait, const struct poll *poll, const struct held *held,
			 int32_t node, struct errand errand)
{
	int64_t until = held->until == TIME_NONE ? errand.ts : sooner(held->until, errand.ts);
	const struct thread *holder = core_sync(walk->cut.wake, held->thread);

	if (until < errand.ts) {
		errand.after = late_node(&walk->cut, thread, wait, until, errand.ts);
		walk_link(walk, errand.after, node, EDGE_TIMER, errand.ts);
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
	}
	errand.part = PART_SCHED;
	errand.index = held->thread;
	errand.at = sooner(errand.at, until);
	errand.floor = later(errand.floor, held->since);
	if (errand.at <= errand.floor)
		return;
	if (is_silent(holder, errand.at))
		walk_link(walk, holding_node(&walk->cut, thread, poll, holder, errand.floor, errand.at), errand.after, errand.edge, errand.ts);
	else
		walk_later(walk, errand);
}

static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	const struct held *held;
	struct poll poll;

	if (!poll_of(walk->cut.wake, thread, wait, &poll) ||
	    (poll.waits ? wait->cause != CAUSE_NONE : poll.tries < TRIES_MIN || wait->cause != CAUSE_TIMER)) {
		walk_explain(walk, thread, at, node, errand);
		return;
	}
	add_reported(walk->cut.wake, &poll);
	held = holder_of(walk->cut.wake, thread, &poll, wait->start, errand.ts);
	if (held)
		explain_held(walk, thread, wait, &poll, held, node, errand);
	else if (poll.waits)
		walk_explain(walk, thread, at, node, errand);
	else
		walk_link(walk, unknown_node(&walk->cut, thread, wait, &poll, errand.ts), node, EDGE_WAKE, errand.ts);
}

static void thread_free(struct thread *thread)
{
	free(of(thread)->sleeps.items);
}

static const struct part_event events[] = {
	{"filelock:posix_lock_inode", on_posix_lock, {"s_dev", "i_ino", "type", "ret", "fl_start", "fl_end"}},
	{"filelock:flock_lock_inode", on_flock, {"s_dev", "i_ino", "type", "ret", "fl_start", "fl_end"}},
	{"filelock:holder", on_holder, {"pid", "s_dev", "i_ino", "fl_start", "fl_end", "path"}, .aside = true},
	{"syscalls:sys_exit_", on_exit_call, {"ret"}, .named = call_named},
	{0},
};

const struct part poll_part = {
	.events = events,
	.window = sizeof(struct polls),
	.thread = sizeof(struct polling),
	.forget = forget,
	.thread_begin = thread_begin,
	.thread_free = thread_free,
	.thread_lost = thread_lost,
	.returns = returns,
	.left = left,
	.woke = woke,
	.explain = explain,
};
