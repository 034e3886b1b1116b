#include "calls/rag.h"

#include <stdlib.h>

#include <uthash.h>

#include "base/hash.h"
#include "wake/function.h"

/*
 * Values that calls handed over. A value belongs to its `handoff` record and to one process, unless the two functions may be in
 * different processes. All zero at first.
 */
struct hands {
	struct handed *by_value; /* uthash */
};

/* The last call that handed over a value. */
struct handed {
	struct {
		uint64_t value;
		int64_t process; /* 0: any */
		int64_t handoff;
	} key;
	int32_t call;
	int64_t ts;
	UT_hash_handle hh;
};

/*
 * The caller of a new call at this depth (stack pointer): the last open call, if its stack pointer is higher. If not, the thread has changed to
 * another stack; then the caller is the open call with the next higher stack pointer.
 */
static int32_t caller_at(const struct rag *rag, const struct rag_thread *thread, int64_t depth)
{
	int32_t last = thread->open.count ? thread->open.items[thread->open.count - 1] : INDEX_NONE, next = INDEX_NONE;

	if (last == INDEX_NONE || !depth || !rag->calls.items[last].depth || rag->calls.items[last].depth > depth)
		return last;
	for (size_t i = 0; i < thread->open.count; i++) {
		int64_t there = rag->calls.items[thread->open.items[i]].depth;

		if (there > depth && (next == INDEX_NONE || there <= rag->calls.items[next].depth))
			next = thread->open.items[i];
	}
	return next;
}

static struct rag_call *add_call(struct rag *rag, const struct function_event *event, int64_t start)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	int32_t caller = caller_at(rag, thread, event->depth);
	struct rag_call *call = ARRAY_ADD(&rag->calls);

	*call = (struct rag_call){
		.start = start,
		.end = TIME_NONE,
		.answered = TIME_NONE,
		.seen = start,
		.depth = event->depth,
		.wait_start = TIME_NONE,
		.wait_end = TIME_NONE,
		.thread = event->thread,
		.caller = caller,
		.parent = caller,
		.giver = INDEX_NONE,
		.awaiter = INDEX_NONE,
		.child = INDEX_NONE,
		.next = INDEX_NONE,
		.function = event->function,
	};
	*ARRAY_ADD(&thread->calls) = (int32_t)rag->calls.count - 1;
	return call;
}

/*
 * The start of a call whose entry was lost: after the thread's last known event and its creation, and, if the thread was woken later, after that.
 */
static int64_t missing_start(const struct rag *rag, const struct function_event *event)
{
	const struct rag_thread *thread = &rag->threads[event->thread];
	struct thread *story = rag->wake->threads.items[event->thread];
	int64_t start = thread->last == TIME_NONE ? core_since(rag->wake) : thread->last;

	if (story->born != TIME_NONE && story->born > start)
		start = story->born;
	for (size_t at = thread->open.count ? 0 : thread_find(story, event->ts); at > 1; at--) {
		if (story->pieces.items[at - 1].start <= start)
			break;
		if (story->pieces.items[at - 2].what == WHAT_WAIT)
			return story->pieces.items[at - 1].start;
	}
	return start < event->ts ? start : event->ts;
}

/* Ends the open calls of a thread whose stack pointers are from `from` to `to`. */
static void end_between(struct rag *rag, struct rag_thread *thread, int64_t from, int64_t to, int64_t ts, uint8_t flags)
{
	size_t kept = 0;

	for (size_t i = 0; i < thread->open.count; i++) {
		struct rag_call *call = &rag->calls.items[thread->open.items[i]];

		if (call->depth < from || call->depth > to) {
			thread->open.items[kept++] = thread->open.items[i];
			continue;
		}
		call->end = ts;
		call->flags |= flags;
	}
	thread->open.count = kept;
}

static bool is_open(const struct rag *rag, const struct rag_thread *thread, int16_t function)
{
	for (size_t i = 0; i < thread->open.count; i++)
		if (rag->calls.items[thread->open.items[i]].function == function)
			return true;
	return false;
}

static bool is_of(const struct rag_call *call, const struct function_event *event)
{
	return call->function == event->function && (!call->depth || !event->depth || call->depth == event->depth);
}

/*
 * The return of a function ends its call and all calls nested in it. If the depths are known, it ends only the calls at its depth: later calls may
 * be on another stack, to which the thread returns.
 */
static void end_call(struct rag *rag, const struct function_event *event)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	struct rag_call *call;
	size_t at = thread->open.count;

	while (at > 0 && !is_of(&rag->calls.items[thread->open.items[at - 1]], event))
		at--;
	if (at > 0 && event->depth && rag->calls.items[thread->open.items[at - 1]].depth) {
		end_between(rag, thread, event->depth, event->depth, event->ts, 0);
		return;
	}
	if (at == 0 && event->depth && is_open(rag, thread, event->function))
		return; /* a jump inside another open call of the same function looked like a return */
	if (at == 0) {
		call = add_call(rag, event, missing_start(rag, event));
		call->flags = CALL_NO_START;
		call->end = event->ts;
		return;
	}
	for (size_t i = at - 1; i < thread->open.count; i++) {
		call = &rag->calls.items[thread->open.items[i]];
		call->end = event->ts;
		call->flags |= i == at - 1 ? 0 : CALL_NO_END;
	}
	thread->open.count = at - 1;
}

/* The end of the last gap in the data between two times; TIME_NONE: there is none. */
static int64_t gap_between(const struct wake *wake, int64_t from, int64_t to)
{
	for (size_t i = wake->gaps.count; i-- > 1;)
		if (wake->gaps.items[i].to > from && wake->gaps.items[i].to <= to)
			return wake->gaps.items[i].to;
	return TIME_NONE;
}

/*
 * If a function is entered again after a gap, more likely its return was lost than that it calls itself. So its earlier call, with all
 * calls nested in it, was over by the end of the gap.
 */
static void end_lost(struct rag *rag, const struct function_event *event)
{
	struct rag_thread *thread = &rag->threads[event->thread];
	int64_t gap;

	for (size_t at = 0; at < thread->open.count; at++) {
		const struct rag_call *call = &rag->calls.items[thread->open.items[at]];

		gap = call->function == event->function ? gap_between(rag->wake, call->start, event->ts) : TIME_NONE;
		if (gap == TIME_NONE)
			continue;
		for (size_t i = at; i < thread->open.count; i++) {
			struct rag_call *lost = &rag->calls.items[thread->open.items[i]];

			lost->end = gap > lost->start ? gap : lost->start;
			lost->flags |= CALL_NO_END;
		}
		thread->open.count = at;
	}
}

static void begin_call(struct rag *rag, const struct function_event *event)
{
	end_lost(rag, event);
	if (event->depth) /* earlier calls at this depth are over, though their returns were not seen */
		end_between(rag, &rag->threads[event->thread], event->depth, event->depth, event->ts, CALL_NO_END);
	add_call(rag, event, event->ts);
	*ARRAY_ADD(&rag->threads[event->thread].open) = (int32_t)rag->calls.count - 1;
}

/* The end of a thread ends all its calls. */
static void end_threads(struct rag *rag)
{
	for (size_t i = 0; i < rag->wake->threads.count; i++) {
		const struct rag_thread *thread = &rag->threads[i];
		int64_t died = rag->wake->threads.items[i]->died;

		for (size_t n = 0; died != TIME_NONE && n < thread->open.count; n++) {
			rag->calls.items[thread->open.items[n]].end = died;
			rag->calls.items[thread->open.items[n]].flags |= CALL_NO_END;
		}
	}
}

void rag_free(struct rag *rag)
{
	for (size_t i = 0; i < rag->wake->threads.count; i++) {
		free(rag->threads[i].calls.items);
		free(rag->threads[i].open.items);
	}
	free(rag->threads);
	free(rag->calls.items);
	free(rag->joins.items);
	free(rag->members.items);
	free(rag);
}

/* The number of the thread's calls that began at or before ts. */
static size_t begun(const struct rag *rag, int32_t index, int64_t ts)
{
	const struct rag_thread *thread = &rag->threads[index];
	size_t low = 0, high = thread->calls.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rag->calls.items[thread->calls.items[middle]].start <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool rag_nested(const struct rag_call *call)
{
	return call->caller != INDEX_NONE && call->parent == call->caller;
}

int32_t rag_common(const struct rag *rag, int32_t a, int32_t b)
{
	while (a != b && a != INDEX_NONE && b != INDEX_NONE) {
		int32_t *later = a > b ? &a : &b; /* a caller has a lower index than its callees */

		*later = rag->calls.items[*later].caller;
	}
	return a == b ? a : INDEX_NONE;
}

/* The last call that the thread had begun by `ts`, over or not. INDEX_NONE: none. */
static int32_t rag_call_before(const struct rag *rag, int32_t thread, int64_t ts)
{
	size_t count = begun(rag, thread, ts);

	return count ? rag->threads[thread].calls.items[count - 1] : INDEX_NONE;
}

/* The innermost call that a thread was in at `ts`. INDEX_NONE: none. */
static int32_t rag_call_at(const struct rag *rag, int32_t thread, int64_t ts)
{
	int32_t index = rag_call_before(rag, thread, ts);

	while (index != INDEX_NONE) {
		const struct rag_call *call = &rag->calls.items[index];

		if (call->end == TIME_NONE || call->end > ts)
			return index;
		index = call->caller;
	}
	return INDEX_NONE;
}

/* Tells whether the thread entered a function at or after `from` and before `to`. */
static bool rag_entered(const struct rag *rag, int32_t thread, int64_t from, int64_t to)
{
	return from < to && begun(rag, thread, to - 1) > begun(rag, thread, from - 1);
}

/*
 * Consecutive sleeps of a call, each ended by a call that the sleeper, or another call of its run, had made. The sleeper does nothing
 * else between them. The calls that ended the sleeps are the last items of rag.members.
 */
struct waiting {
	struct rag *rag;
	int32_t parent; /* the sleeper; INDEX_NONE: no sleep yet */
	int64_t from, to;
	size_t first, last; /* pieces of its thread: the first of these sleeps, and the last so far */
	size_t wakers;	    /* index in rag.members of the first call that ended a sleep */
};

/* Makes a call the asynchronous child of another. Children are in the order of their starts; they mostly come in the reverse order. */
static void adopt(struct rag *rag, int32_t parent, int32_t child)
{
	struct rag_call *calls = rag->calls.items;
	int32_t *link = &calls[parent].child;

	while (*link != INDEX_NONE && calls[*link].start < calls[child].start)
		link = &calls[*link].next;
	calls[child].parent = parent;
	calls[child].flags |= CALL_ASYNC_CHILD;
	calls[child].next = *link;
	*link = child;
}

/* The thread that created or last woke this one. */
static struct doer giver_of(const struct wake *wake, const struct thread *thread, int64_t ts)
{
	for (size_t at = thread_find(thread, ts); at > 1; at--) {
		const struct piece *piece = &thread->pieces.items[at - 2];

		if (piece->what == WHAT_WAIT)
			return core_ender(wake, piece);
	}
	if (thread->born == TIME_NONE)
		return (struct doer){.thread = INDEX_NONE};
	return (struct doer){thread->parent, thread->born};
}

/* The parent of a call that nests in no other is the call that created or woke its thread. */
static void link_root(struct rag *rag, int32_t index)
{
	const struct rag_call *call = &rag->calls.items[index];
	struct doer giver = giver_of(rag->wake, rag->wake->threads.items[call->thread], call->start);
	int32_t parent;

	if (giver.thread == INDEX_NONE || giver.thread == call->thread)
		return;
	parent = rag_call_at(rag, giver.thread, giver.ts);
	if (parent != INDEX_NONE && rag->calls.items[parent].start < call->start)
		adopt(rag, parent, index);
}

/* The end of a call as far as known yet; TIME_NONE: unknown. */
static int64_t known_end(const struct rag_call *call)
{
	bool lost = call->end == TIME_NONE || call->flags & CALL_NO_END;

	return lost && call->answered != TIME_NONE ? call->answered : call->end;
}

/*
 * A call waited for the calls that woke it, and for its children that were not over when it fell asleep. Children that were over, or
 * were awaited before, are removed from its list, so that none is looked at again.
 */
static void add_awaited(struct waiting *waiting, struct rag_join *join)
{
	struct rag *rag = waiting->rag;
	int32_t *link = &rag->calls.items[waiting->parent].child;

	while (*link != INDEX_NONE && rag->calls.items[*link].start < waiting->to) {
		struct rag_call *child = &rag->calls.items[*link];
		int64_t end = known_end(child);

		if (child->wait_end != TIME_NONE || (end != TIME_NONE && end <= waiting->from)) {
			*link = child->next;
			continue;
		}
		if (!(child->flags & CALL_WOKE)) {
			*ARRAY_ADD(&rag->members) = *link;
			join->all &= child->end != TIME_NONE && child->end <= waiting->to;
		}
		link = &child->next;
	}
	join->count = rag->members.count - join->first;
}

/* The wait begins when the first of the calls began, or the call that handed it over; the cause of a sleep before that is unknown. */
static int64_t wait_began(const struct waiting *waiting, const struct rag_join *join)
{
	int64_t began = INT64_MAX;

	for (size_t i = join->first; i < join->first + join->count; i++) {
		const struct rag_call *call = &waiting->rag->calls.items[waiting->rag->members.items[i]];
		int64_t since = call->giver == INDEX_NONE ? call->start : waiting->rag->calls.items[call->giver].start;

		began = since < began ? since : began;
	}
	return began > waiting->from && began <= waiting->to ? began : waiting->from;
}

static void settle(struct waiting *waiting)
{
	struct rag *rag = waiting->rag;
	struct rag_join join = {.parent = waiting->parent, .all = true, .wait_end = waiting->to, .first = waiting->wakers};
	struct rag_call *first;

	if (waiting->parent == INDEX_NONE)
		return;
	add_awaited(waiting, &join);
	join.wait_start = wait_began(waiting, &join);
	for (size_t i = join.first; i < rag->members.count; i++) {
		rag->calls.items[rag->members.items[i]].awaiter = waiting->parent;
		rag->calls.items[rag->members.items[i]].flags &= ~CALL_WOKE;
	}
	first = &rag->calls.items[rag->members.items[join.first]];
	if (join.count == 1 && first->parent == waiting->parent && first->wait_end == TIME_NONE) {
		first->wait_start = join.wait_start;
		first->wait_end = join.wait_end;
	} else {
		*ARRAY_ADD(&rag->joins) = join;
	}
	waiting->parent = INDEX_NONE;
}

/* Tells whether the call woke the sleeper to ask for something: then the sleeper later ends a wait of the call's thread. */
static bool asks(const struct rag *rag, int32_t index, int64_t since, int32_t sleeper)
{
	const struct rag_call *call = &rag->calls.items[index];
	const struct thread *thread = rag->wake->threads.items[call->thread];

	for (size_t i = thread_find(thread, since); i < thread->pieces.count; i++) {
		if (call->end != TIME_NONE && thread->pieces.items[i].start >= call->end)
			return false;
		if (core_ender(rag->wake, &thread->pieces.items[i]).thread == rag->calls.items[sleeper].thread)
			return true;
	}
	return false;
}

/* This call or the nearest one around it that the sleeper's run had made. INDEX_NONE: none. */
static int32_t asked_call(const struct rag *rag, int32_t call, int32_t sleeper)
{
	for (; call != INDEX_NONE; call = rag->calls.items[call].caller)
		if (rag->calls.items[call].flags & CALL_ASYNC_CHILD && rag_common(rag, rag->calls.items[call].parent, sleeper) != INDEX_NONE)
			return call;
	return INDEX_NONE;
}

/*
 * The call that ended the sleeper's wait, if the sleeper's run had made it. If no call is known to have made the waking call, the
 * sleeper is taken for its maker, unless the waking call asks something of the sleeper. Of nested calls, this is the outermost one that
 * began after the sleeper, because a server's main loop may have begun long before.
 */
static int32_t awaited_call(struct rag *rag, int32_t sleeper, const struct piece *wait)
{
	const struct rag_call *calls = rag->calls.items;
	struct doer by = core_ender(rag->wake, wait);
	int32_t call = by.thread == INDEX_NONE ? INDEX_NONE : rag_call_before(rag, by.thread, by.ts), asked;

	if (call == INDEX_NONE || by.thread == calls[sleeper].thread)
		return INDEX_NONE;
	asked = asked_call(rag, call, sleeper);
	if (asked != INDEX_NONE)
		return asked;
	while (rag_nested(&calls[call]) && calls[calls[call].parent].start > calls[sleeper].start)
		call = calls[call].parent;
	if (!(calls[call].flags & CALL_ASYNC_CHILD) && calls[call].start > calls[sleeper].start &&
	    !asks(rag, call, by.ts, sleeper)) {
		adopt(rag, sleeper, call);
		return call;
	}
	return INDEX_NONE;
}

/* Tells whether, since its last sleep, the thread did anything else, or this call began. */
static bool went_on(const struct waiting *waiting, const struct thread *thread, size_t wait, int32_t call)
{
	return rag_entered(waiting->rag, thread->index, waiting->to, thread->pieces.items[wait].start) ||
	       waiting->rag->calls.items[call].start >= waiting->to ||
	       (!thread_idled(thread, waiting->last, wait - 1, 0) && !thread_idled(thread, waiting->first, wait - 1, 0));
}

/*
 * The first of the sleeps in which the thread waited for this call. If the call was handed over, earlier sleeps since the handing over count, too,
 * as long as the thread did little between them: it only found that it was woken for other calls.
 */
static size_t first_sleep(const struct rag *rag, const struct thread *thread, size_t index, int32_t call)
{
	enum { SLEEPS_MAX = 4096 };
	int32_t giver = rag->calls.items[call].giver;
	int64_t slept = 0, did = 0, ts = thread->pieces.items[index].start;
	size_t first = index;

	for (size_t i = index; giver != INDEX_NONE && i-- > 0 && index - i < SLEEPS_MAX;) {
		const struct piece *piece = &thread->pieces.items[i];

		if (piece->start < rag->calls.items[giver].start || rag_entered(rag, thread->index, piece->start, ts))
			break;
		*(piece->what == WHAT_WAIT ? &slept : &did) += piece->what == WHAT_RUNNABLE ? 0 : piece[1].start - piece->start;
		if (piece->what == WHAT_WAIT && did <= slept / IDLENESS)
			first = i;
	}
	return first;
}

static void take_wait(struct waiting *waiting, const struct thread *thread, size_t index)
{
	struct rag *rag = waiting->rag;
	const struct piece *wait = &thread->pieces.items[index];
	int64_t end = thread_piece_end(rag->wake, thread, index);
	int32_t sleeper = rag_call_at(rag, thread->index, wait->start);
	int32_t call = sleeper == INDEX_NONE ? INDEX_NONE : awaited_call(rag, sleeper, wait);

	if (call == INDEX_NONE)
		return;
	if (waiting->parent != sleeper || went_on(waiting, thread, index, call))
		settle(waiting);
	if (waiting->parent == INDEX_NONE) {
		waiting->parent = sleeper;
		waiting->first = first_sleep(rag, thread, index, call);
		waiting->from = thread->pieces.items[waiting->first].start;
		waiting->wakers = rag->members.count;
	}
	waiting->to = end;
	waiting->last = index;
	rag->calls.items[call].answered = end;
	if (!(rag->calls.items[call].flags & CALL_WOKE))
		*ARRAY_ADD(&rag->members) = call;
	rag->calls.items[call].flags |= CALL_WOKE;
}

static void link_waits(struct waiting *waiting, const struct thread *thread)
{
	for (size_t i = 0; i < thread->pieces.count; i++)
		if (thread->pieces.items[i].what == WHAT_WAIT)
			take_wait(waiting, thread, i);
	settle(waiting);
}

/*
 * A call whose return is lost ended when it woke a call that waited for it, unless the call, or one nested in it, is known to have continued.
 * The earliest witness is the best (AUDIT, section 5).
 */
void rag_witness(struct rag *rag, int32_t running, int64_t ts)
{
	if (running != INDEX_NONE)
		rag->calls.items[running].seen = ts;
	for (size_t i = rag->calls.count; i-- > 0;) { /* callees before callers */
		struct rag_call *call = &rag->calls.items[i], *caller;
		bool lost = call->flags & CALL_NO_END || call->end == TIME_NONE;

		if (lost && call->answered >= call->seen && (call->end == TIME_NONE || call->end > call->answered)) {
			call->end = call->answered;
			call->flags |= CALL_NO_END;
		}
		if (call->caller == INDEX_NONE)
			continue;
		caller = &rag->calls.items[call->caller];
		if (call->end != TIME_NONE && caller->answered != TIME_NONE)
			caller->answered = later(caller->answered, call->end);
		caller->seen = later(caller->seen, call->end == TIME_NONE ? call->seen : call->end);
	}
}

/* Takes the second and third step; see rag.h. */
static void rag_link(struct rag *rag)
{
	struct waiting waiting = {.rag = rag, .parent = INDEX_NONE};

	for (size_t i = rag->calls.count; i-- > 0;)
		if (rag->calls.items[i].giver != INDEX_NONE)
			adopt(rag, rag->calls.items[i].giver, (int32_t)i);
	if (!rag->wake->switches)
		return;
	for (size_t i = rag->calls.count; i-- > 0;)
		if (rag->calls.items[i].parent == INDEX_NONE)
			link_root(rag, (int32_t)i);
	for (size_t i = 0; i < rag->wake->threads.count; i++)
		if (rag->threads[i].calls.count)
			link_waits(&waiting, rag->wake->threads.items[i]);
}

/* The key of a value. A thread whose process is unknown can hand over only to itself. */
static struct handed handed_key(const struct wake *wake, const struct function_hand *hand, const struct function_event *event)
{
	int32_t tid = wake->threads.items[event->thread]->tid;
	int64_t process = events_tgid(wake->events, tid);
	struct handed handed = {.ts = event->ts};

	handed.key.value = hand->value;
	handed.key.handoff = hand->handoff;
	handed.key.process = hand->anywhere ? 0 : process ? process : -tid;
	return handed;
}

/* A call hands over this value; a call that handed it over before is forgotten. */
static void hands_give(struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event, int32_t call)
{
	struct handed key = handed_key(wake, hand, event), *handed;

	HASH_FIND(hh, hands->by_value, &key.key, sizeof(key.key), handed);
	if (!handed) {
		handed = NEW(struct handed);
		*handed = key;
		HASH_ADD(hh, hands->by_value, key, sizeof(handed->key), handed);
	}
	handed->call = call;
	handed->ts = event->ts;
}

/* The call that handed over the value that this event takes; NULL: unknown. Valid until the next hands_give(). */
static const struct handed *hands_take(const struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event)
{
	struct handed key = handed_key(wake, hand, event), *handed;

	HASH_FIND(hh, hands->by_value, &key.key, sizeof(key.key), handed);
	return handed;
}

static void hands_free(struct hands *hands)
{
	HASH_FREE(hands->by_value);
}

/* The open call that an event returns from; INDEX_NONE: none is known. */
static int32_t returning(const struct rag *rag, const struct function_event *event)
{
	const struct rag_thread *thread = &rag->threads[event->thread];

	for (size_t at = thread->open.count; at-- > 0;)
		if (is_of(&rag->calls.items[thread->open.items[at]], event))
			return thread->open.items[at];
	return INDEX_NONE;
}

/*
 * Handles the values of an event: its call takes them over, or hands them over. A call takes a value only when it begins: when it returns, it
 * could take that of a call nested in it, and each would be the parent of the other. Returns the first hand of a later event.
 */
static size_t take_hands(struct rag *rag, struct hands *hands, size_t next, size_t event, int32_t call)
{
	const struct traced_functions *functions = function_all(rag->wake);

	for (; next < functions->hands.count && functions->hands.items[next].event == event; next++) {
		const struct function_hand *hand = &functions->hands.items[next];
		const struct handed *handed;

		if (call == INDEX_NONE || (hand->takes && functions->events.items[event].returns))
			continue;
		if (!hand->takes) {
			hands_give(hands, rag->wake, hand, &functions->events.items[event], call);
			continue;
		}
		handed = hands_take(hands, rag->wake, hand, &functions->events.items[event]);
		if (handed && handed->call != call && gap_between(rag->wake, handed->ts, functions->events.items[event].ts) == TIME_NONE)
			rag->calls.items[call].giver = handed->call;
	}
	return next;
}

struct rag *rag_new(struct wake *wake)
{
	struct rag *rag = NEW(struct rag);
	struct hands hands = {0};
	size_t hand = 0;

	rag->wake = wake;
	rag->threads = memory_new(wake->threads.count + 1, sizeof(*rag->threads));
	for (size_t i = 0; i < wake->threads.count; i++)
		rag->threads[i].last = TIME_NONE;
	for (size_t i = 0; i < function_all(wake)->events.count; i++) {
		const struct function_event *event = &function_all(wake)->events.items[i];
		int32_t call = event->returns ? returning(rag, event) : (int32_t)rag->calls.count;

		if (event->function == CALL_NONE)
			end_between(rag, &rag->threads[event->thread], event->depth, event->to, event->ts, 0);
		else if (event->returns)
			end_call(rag, event);
		else
			begin_call(rag, event);
		rag->threads[event->thread].last = event->ts;
		hand = take_hands(rag, &hands, hand, i, call);
	}
	hands_free(&hands);
	end_threads(rag);
	rag_link(rag);
	return rag;
}
