#include "wake/served.h"

#include <stdlib.h>

#include "wake/ask.h"
#include "wake/context.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/retry.h"
#include "wake/syscall.h"

/* Through how many threads a request is followed; and how far back in each, in pieces. */
enum { HANDS = 4, PATIENCE = 4096 };

struct transfer { /* the first since the thread was woken or, if it receives, since it sent */
	int64_t ts;
};

struct transfers { /* in the order of time */
	ARRAY(struct transfer) list;
};

struct serving { /* of a thread */
	bool exec; /* it has begun another program than that of its parent */
	bool exchanges; /* its calls that send and receive are among the data */
	bool sent, got; /* the first send, the first receive has come; later ones are not kept (struct transfer) */
	struct transfers sends, gets;
	struct transfers together; /* if it leads a process: the sends of all its threads */
	struct transfers drops; /* when it woke a thread outside of any call: it ends, and so do its connections */
	int64_t received; /* when it last received something, or, if it leads a process, one of its threads did; TIME_NONE: never */
};

static struct serving *of(const struct thread *thread)
{
	return thread->of[PART_SERVED];
}

static void thread_begin(struct thread *thread)
{
	of(thread)->received = TIME_NONE;
}

static void thread_free(struct thread *thread)
{
	free(of(thread)->sends.list.items);
	free(of(thread)->gets.list.items);
	free(of(thread)->drops.list.items);
	free(of(thread)->together.list.items);
}

static void woke(struct wake *wake, const struct waking *waking)
{
	const struct thread *waker = waking->cause == CAUSE_THREAD ? wake->threads.items[waking->index] : NULL;

	if (waker && of(waker)->exchanges && syscall_of(waker)->name == CALL_NONE)
		*ARRAY_ADD(&of(waker)->drops.list) = (struct transfer){wake->now};
	of(waking->woken)->sent = of(waking->woken)->got = false;
}

static int32_t process_of(const struct wake *wake, const struct thread *thread)
{
	return events_tgid(wake->events, thread->tid);
}

/* The thread that leads the process; where that was not seen, the thread itself. */
static const struct thread *leader_of(struct wake *wake, const struct thread *thread, int64_t ts)
{
	int32_t process = process_of(wake, thread);
	const struct thread *leader = process ? core_thread_find(wake, process, ts) : NULL;

	return leader ? leader : thread;
}

static void receives(struct wake *wake, struct thread *thread)
{
	if (!of(thread)->got)
		*ARRAY_ADD(&of(thread)->gets.list) = (struct transfer){wake->now};
	of(thread)->got = true;
	of(thread)->received = of(leader_of(wake, thread, wake->now))->received = wake->now;
}

static void sends(struct wake *wake, struct thread *thread)
{
	of(thread)->got = false;
	if (of(thread)->sent)
		return;
	*ARRAY_ADD(&of(thread)->sends.list) = (struct transfer){wake->now};
	*ARRAY_ADD(&of(leader_of(wake, thread, wake->now))->together.list) = (struct transfer){wake->now};
	of(thread)->sent = true;
}

static void returns(struct wake *wake, struct thread *thread, int64_t result)
{
	const struct reason *call = reason_at(wake->reasons, syscall_of(thread)->name);

	of(thread)->exchanges |= call->sends || call->receives;
	if (call->receives && result > 0)
		receives(wake, thread);
	if (call->sends && result > 0)
		sends(wake, thread);
}

/* Tells whether the thread, which was woken at `from` or later, may have sent something until `to`. */
static bool may_have_sent(const struct thread *thread, int64_t from, int64_t to)
{
	const struct serving *serving = of(thread);
	size_t next = COUNT_UNTIL(serving->sends.list.items, serving->sends.list.count, ts, from);

	for (size_t at = thread_find(thread, from); at < thread->pieces.count && thread->pieces.items[at].start < to; at++)
		if (thread->pieces.items[at].flags & PIECE_LOST)
			return true;
	return !serving->exchanges || (next < serving->sends.list.count && serving->sends.list.items[next].ts <= to);
}

static void on_exec(struct at *at)
{
	struct thread *thread = at_own(at);

	if (thread)
		of(thread)->exec = true;
}

/* The process that began the program that this one runs; if that is not known, the earliest known ancestor that runs it. */
static const struct thread *root_of(struct wake *wake, const struct thread *leader)
{
	for (int hands = 0; hands < HANDS && leader->parent != INDEX_NONE && !of(leader)->exec; hands++)
		leader = leader_of(wake, wake->threads.items[leader->parent], leader->born);
	return leader;
}

static bool is_descendant(struct wake *wake, const struct thread *leader, const struct thread *root)
{
	for (int hands = 0; hands < HANDS && leader->parent != INDEX_NONE; hands++) {
		leader = leader_of(wake, wake->threads.items[leader->parent], leader->born);
		if (leader == root)
			return true;
	}
	return false;
}

/* Tells whether the other is a program that began within the data, and after the server, which did not start it. */
static bool is_client(struct wake *wake, const struct thread *other, const struct thread *server, int64_t ts)
{
	const struct thread *client = leader_of(wake, other, ts), *root = root_of(wake, leader_of(wake, server, ts));

	return client->born != TIME_NONE && client->parent != INDEX_NONE && of(client)->exec && process_of(wake, other) &&
	       (root->born == TIME_NONE || root->born < client->born) && !is_descendant(wake, client, root);
}

static bool takes(const struct wake *wake, const struct piece *wait)
{
	return wait->what == WHAT_WAIT &&
	       (wait->flags & PIECE_CONDITION || reason_at(wake->reasons, wait->call)->many || reason_at(wake->reasons, wait->call)->receives);
}

/* Tells whether the thread may have waited for something from others. */
static bool may_take(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	return wait->what == WHAT_WAIT && (takes(wake, wait) || (wait->call == CALL_NONE && !of(thread)->exchanges));
}

static bool may_have_received(struct wake *wake, const struct thread *client, int64_t from)
{
	int64_t received = of(leader_of(wake, client, from))->received;

	return !of(client)->exchanges || (of(client)->received != TIME_NONE && of(client)->received > from) ||
	       (received != TIME_NONE && received > from);
}

/*
 * Tells whether the client ended by `to` with what it asked for, which the data need not show. Not if it gave up or was killed in its last wait;
 * nor, if it did not wait, if it received nothing, as a sender of datagrams does, or if the server has sent nothing.
 */
static bool is_content(struct wake *wake, const struct thread *server, bool handed, const struct thread *client, int64_t from, int64_t to)
{
	if (client->died == TIME_NONE || client->died > to)
		return false;
	for (size_t at = client->pieces.count; at-- > 0 && client->pieces.items[at].start > from;)
		if (may_take(wake, client, &client->pieces.items[at]))
			return client->pieces.items[at].cause != CAUSE_TIMER && !(client->pieces.items[at].flags & PIECE_BROKEN);
	return may_have_received(wake, client, from) && (handed || may_have_sent(server, from, to));
}

/* Tells whether the client got one of these transfers that was sent between these times: it received something before the next was sent. */
static bool has_got(const struct transfers *sent, const struct thread *client, int64_t from, int64_t to)
{
	const struct transfers *gets = &of(client)->gets;

	for (size_t i = COUNT_UNTIL(sent->list.items, sent->list.count, ts, from); i < sent->list.count && sent->list.items[i].ts <= to; i++) {
		int64_t next = i + 1 < sent->list.count ? sent->list.items[i + 1].ts : INT64_MAX;
		size_t first = COUNT_UNTIL(gets->list.items, gets->list.count, ts, sent->list.items[i].ts);

		if (first < gets->list.count && gets->list.items[first].ts < next)
			return true;
	}
	return false;
}

/* Tells whether the other ended this wait with a request: not if it took an answer out, which made room, or ended. */
static bool is_request(const struct thread *other, int64_t ts, const struct piece *wait)
{
	const struct serving *serving = of(other);
	size_t count = COUNT_UNTIL(serving->drops.list.items, serving->drops.list.count, ts, ts);

	return !(wait->flags & PIECE_ROOM) && (count == 0 || serving->drops.list.items[count - 1].ts != ts);
}

/*
 * Tells whether the server answered between these times: it woke the client, but not by making room, and the client did not go back to the same
 * wait. If the client was awake, an answer woke nobody; then it is known by what both transferred.
 */
static bool has_answered(struct wake *wake, const struct thread *server, bool handed, const struct thread *client, int64_t from, int64_t to)
{
	size_t at = thread_find(client, from);

	if (is_content(wake, server, handed, client, from, to) || has_got(&of(server)->sends, client, from, to) ||
	    has_got(&of(leader_of(wake, server, from))->together, client, from, to))
		return true;
	for (at -= at > 0; at + 1 < client->pieces.count && client->pieces.items[at + 1].start <= to; at++) {
		int32_t by = client->pieces.items[at].flags & (PIECE_TICK | PIECE_ROOM | PIECE_VAIN) ? INDEX_NONE : core_ender(wake, &client->pieces.items[at]).thread;

		if (client->pieces.items[at + 1].start > from && by != INDEX_NONE && core_same_process(wake, server, by))
			return true;
	}
	return false;
}

/* The last wait before piece *at, which becomes the index of that wait; it is over. NULL: none. */
static const struct piece *last_taken(const struct thread *thread, size_t *at)
{
	for (size_t left = PATIENCE; *at > 0 && left > 0; left--) {
		const struct piece *wait = &thread->pieces.items[--*at];

		if (*at + 1 < thread->pieces.count && thread->pieces.items[*at].what == WHAT_WAIT)
			return wait;
	}
	return NULL;
}

/* When the run began that led to this wait of the thread. */
static int64_t run_before(const struct thread *thread, const struct piece *wait)
{
	while (wait > thread->pieces.items && wait[-1].what != WHAT_WAIT)
		wait--;
	return wait->start;
}

/*
 * Tells whether the other, which ended this wait at `ts`, answered with that: the waiting thread had woken it before. If several threads do a part
 * each, another of them may have woken the last one. So wake-ups are followed back, to one by the waiting thread in the run before the wait.
 */
static bool is_answer(const struct wake *wake, const struct thread *thread, const struct piece *wait, const struct thread *other, int64_t ts)
{
	for (int hands = 0; hands < HANDS; hands++) {
		size_t at = thread_find(other, ts);
		const struct piece *last = last_taken(other, &at);
		struct doer by;

		if (!last)
			return false;
		by = core_ender(wake, last);
		if (by.thread == thread->index)
			return hands == 0 || by.ts >= run_before(thread, wait);
		if (by.thread == INDEX_NONE || !core_same_process(wake, thread, by.thread))
			return false;
		other = wake->threads.items[by.thread];
		ts = by.ts;
	}
	return false;
}

/* When the thread first woke the other after `from`, before `to`; TIME_NONE: it did not. */
static int64_t woke_first(const struct wake *wake, const struct thread *thread, const struct thread *other, int64_t from, int64_t to)
{
	for (size_t at = thread_find(other, from); at + 1 < other->pieces.count && other->pieces.items[at + 1].start < to; at++)
		if (core_ender(wake, &other->pieces.items[at]).thread == thread->index)
			return other->pieces.items[at + 1].start;
	return TIME_NONE;
}

/* Tells whether the thread was done with what a colleague handed to it at `from`: it woke the colleague, then did next to nothing until `to`. */
static bool is_done(const struct wake *wake, const struct thread *thread, const struct thread *colleague, int64_t from, int64_t to)
{
	int64_t woke = woke_first(wake, thread, colleague, from, to);
	size_t first = thread_find(thread, woke), last = thread_find(thread, to);

	return woke != TIME_NONE && first > 0 && last > first && thread_idled(thread, first - 1, last - 2, 0);
}

/* Tells whether the thread waited for its colleagues in vain, until its own timer woke it. */
static bool is_nap(const struct wake *wake, const struct piece *wait)
{
	return wait->flags & PIECE_CONDITION && wait->cause == CAUSE_TIMER && !reason_at(wake->reasons, wait->call)->many;
}

/* What the waits of a thread say about whom it served at `ts`, from the last one back. */
struct search {
	struct wake *wake;
	const struct thread *thread;
	int64_t ts;
	int64_t napped;
	struct doer hand; /* the colleague, another thread of its process, that handed it a request; none is found yet: ts is `until` of find() */
};

enum finding {
	GO_BACK, /* this wait says nothing: an earlier one may */
	HANDED,  /* it served whom the colleague served; if there is no colleague, nobody is known */
	ASKED,   /* whoever ended this wait asked it */
	UNKNOWN, /* colleagues gave it several things to do */
};

/*
 * A colleague ended the wait: it handed a request on. If the thread already had one, the colleague gave back a lock; what it handed over before does
 * not matter if the thread was done with that.
 */
static enum finding find_colleague(struct search *search, const struct piece *wait, struct doer by)
{
	const struct thread *colleague = search->wake->threads.items[by.thread];

	if (is_answer(search->wake, search->thread, wait, colleague, by.ts) || search->hand.thread == by.thread)
		return GO_BACK;
	if (search->hand.thread == INDEX_NONE) {
		search->hand = by;
		return GO_BACK;
	}
	return is_done(search->wake, search->thread, colleague, by.ts, search->hand.ts) ? GO_BACK : UNKNOWN;
}

/*
 * Another process ended the wait. If it is an older one, and the thread had woken it before, it is not known whether it answers or asks, unless the
 * thread waited for it alone.
 */
static enum finding find_asker(const struct search *search, const struct piece *wait, struct doer by)
{
	struct wake *wake = search->wake;
	const struct thread *other = wake->threads.items[by.thread];

	if (!reason_at(wake->reasons, wait->call)->many && is_answer(wake, search->thread, wait, other, by.ts) &&
	    !is_client(wake, other, search->thread, by.ts))
		return GO_BACK;
	return has_answered(wake, search->thread, search->hand.thread != INDEX_NONE, other, by.ts, search->hand.ts) ? HANDED : ASKED;
}

/* Naps do not end what the thread does as long as they are the smaller part of its time. */
static enum finding find_in(struct search *search, const struct piece *wait, struct doer by)
{
	struct wake *wake = search->wake;
	const struct thread *other = by.thread == INDEX_NONE ? NULL : wake->threads.items[by.thread];

	if (!takes(wake, wait) || (other && !is_request(other, by.ts, wait)))
		return GO_BACK;
	if (is_nap(wake, wait)) {
		search->napped += wait[1].start - wait->start; /* it is over, so another piece follows */
		return GO_BACK;
	}
	if (!other || wait->flags & PIECE_TICK || core_is_kernels(wake, other) || search->napped > (search->ts - by.ts) / 2)
		return HANDED;
	return core_same_process(wake, search->thread, other->index) ? find_colleague(search, wait, by) : find_asker(search, wait, by);
}

/* Index of the thread that this one served at `ts` and had not answered by `until`; INDEX_NONE: none is known. */
static int32_t find(struct wake *wake, const struct thread *thread, int64_t ts, int64_t until, int hands)
{
	struct search search = {.wake = wake, .thread = thread, .ts = ts, .hand = {.thread = INDEX_NONE, .ts = until}};
	enum finding finding = GO_BACK;
	struct doer by = {.thread = INDEX_NONE};
	size_t at = thread_find(thread, ts);
	const struct piece *wait;

	at -= at > 0 && thread->pieces.items[at - 1].what == WHAT_WAIT; /* it has not ended */
	for (int left = PATIENCE; finding == GO_BACK && left > 0 && (wait = last_taken(thread, &at)); left--) {
		by = core_ender(wake, wait);
		finding = find_in(&search, wait, by);
	}
	if (finding == UNKNOWN)
		return INDEX_NONE;
	if (finding == ASKED && is_client(wake, wake->threads.items[by.thread], thread, by.ts))
		return by.thread;
	if (finding != ASKED)
		by = search.hand;
	return by.thread == INDEX_NONE || hands == HANDS ? INDEX_NONE : find(wake, wake->threads.items[by.thread], by.ts, until, hands + 1);
}

static bool is_process_of(const struct wake *wake, int32_t tid, const struct thread *thread)
{
	return tid > 0 && events_tgid(wake->events, tid) == process_of(wake, thread);
}

int32_t served_at(struct cut *cut, const struct thread *thread, int64_t ts)
{
	int32_t target = cut->graph->target == NODE_NONE ? 0 : cut->graph->nodes.items[cut->graph->target].tid, whom;

	if (thread->tid == TID_IDLE || !process_of(cut->wake, thread) || is_process_of(cut->wake, target, thread))
		return INDEX_NONE;
	whom = find(cut->wake, thread, ts, ts, 0);
	return whom == INDEX_NONE || is_process_of(cut->wake, target, cut->wake->threads.items[whom]) ? INDEX_NONE : whom;
}

static bool is_work(const struct wake *wake, const struct piece *piece)
{
	return (piece->what != WHAT_WAIT && piece->what != WHAT_UNKNOWN) || is_nap(wake, piece);
}

/* Tells whether the thread worked for at least this long without a break, this piece included. */
static bool is_long(const struct wake *wake, const struct thread *thread, size_t piece, int64_t least)
{
	const struct piece *pieces = thread->pieces.items;
	size_t first = piece, last = piece;

	while (thread_piece_end(wake, thread, last) - pieces[first].start < least)
		if (first > 0 && is_work(wake, &pieces[first - 1]))
			first--;
		else if (last + 1 < thread->pieces.count && is_work(wake, &pieces[last + 1]))
			last++;
		else
			return false;
	return true;
}

/*
 * A client is looked for only if the run is no shorter than this part of the graph's time, however often others had the CPU in between. If the client
 * is the asker, it is not named: the wait that led here already says so.
 */
enum { SHORT = 256 };

static int32_t run_for(struct cut *cut, const struct thread *thread, size_t run, int32_t asker, const struct deed *deed)
{
	const struct wake *wake = cut->wake;
	int32_t served;

	if (deed->kind != DEED_RUN || !is_long(wake, thread, run, (cut->graph->to - cut->graph->from) / SHORT))
		return INDEX_NONE;
	served = served_at(cut, thread, thread->pieces.items[run].start);
	if (served == INDEX_NONE || asker == INDEX_NONE)
		return served;
	return core_same_process(wake, wake->threads.items[served], asker) ? INDEX_NONE : served;
}

static const struct part_event events[] = {
	{"sched:sched_process_exec", on_exec},
	{0},
};

const struct part served_part = {
	.events = events,
	.thread = sizeof(struct serving),
	.thread_begin = thread_begin,
	.thread_free = thread_free,
	.returns = returns,
	.woke = woke,
	.run_for = run_for,
};
