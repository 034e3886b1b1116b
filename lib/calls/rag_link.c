#include "calls/rag.h"

#include <stdlib.h>

/*
 * Consecutive sleeps of a call, each ended by a call that the sleeper, or another call of its run, had made. The sleeper does nothing
 * else between them. The calls that ended them are the last of rag.members.
 */
struct waiting {
	struct rag *rag;
	int32_t parent; /* the sleeper; INDEX_NONE: no sleep yet */
	int64_t from, to;
	size_t first, last; /* pieces of its thread: the first of these sleeps, and the last so far */
	size_t wakers;	    /* the first call that ended one: index in rag.members */
};

/* Keeps children in the order of their starts; calls arrive mostly in the reverse order. */
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

/* The parent of a call that nests in none is the call that created or woke its thread. */
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

/* The end of a call as far as it is known yet; TIME_NONE: unknown. */
static int64_t known_end(const struct rag_call *call)
{
	bool lost = call->end == TIME_NONE || call->flags & CALL_NO_END;

	return lost && call->answered != TIME_NONE ? call->answered : call->end;
}

/*
 * A call waited for the calls that woke it, and for its children that were not over when it fell asleep. Children that were over, or
 * were awaited before, leave its list, so that each is looked at once.
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

/* The wait begins with the first of the calls; the cause of any sleep before is unknown. */
static int64_t wait_began(const struct waiting *waiting, const struct rag_join *join)
{
	int64_t began = INT64_MAX;

	for (size_t i = join->first; i < join->first + join->count; i++) {
		const struct rag_call *call = &waiting->rag->calls.items[waiting->rag->members.items[i]];

		began = call->start < began ? call->start : began;
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

/* Tells whether the call woke the sleeper to ask it something: then the call waits for the sleeper later. */
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

/* The call, around this one, that the sleeper or its run had made. INDEX_NONE: none. */
static int32_t asked_call(const struct rag *rag, int32_t call, int32_t sleeper)
{
	for (; call != INDEX_NONE; call = rag->calls.items[call].caller)
		if (rag->calls.items[call].flags & CALL_ASYNC_CHILD && rag_common(rag, rag->calls.items[call].parent, sleeper) != INDEX_NONE)
			return call;
	return INDEX_NONE;
}

/*
 * The call that ended the sleeper's wait: one that its run had made. Otherwise, if nobody is known to have made the waking call, the
 * sleeper did, unless that call asks something of the sleeper. Of nested calls it takes the outermost that began after the sleeper,
 * because a server's main loop may have begun long before.
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

/* Tells whether the thread did anything else since its last sleep, or made this call only since then. */
static bool went_on(const struct waiting *waiting, const struct thread *thread, size_t wait, int32_t call)
{
	return rag_entered(waiting->rag, thread->index, waiting->to, thread->pieces.items[wait].start) ||
	       waiting->rag->calls.items[call].start >= waiting->to ||
	       (!thread_idled(thread, waiting->last, wait - 1, 0) && !thread_idled(thread, waiting->first, wait - 1, 0));
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
		waiting->from = wait->start;
		waiting->first = index;
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
 * A call whose return is lost ended when it woke a call that waited for it, unless it, or a call nested in it, is known to have gone on.
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

void rag_link(struct rag *rag)
{
	struct waiting waiting = {.rag = rag, .parent = INDEX_NONE};

	if (!rag->wake->switches)
		return;
	for (size_t i = rag->calls.count; i-- > 0;)
		if (rag->calls.items[i].parent == INDEX_NONE)
			link_root(rag, (int32_t)i);
	for (size_t i = 0; i < rag->wake->threads.count; i++)
		if (rag->threads[i].calls.count)
			link_waits(&waiting, rag->wake->threads.items[i]);
}
