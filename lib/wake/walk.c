#include "wake/walk.h"

#include <stdlib.h>

#include "wake/ask.h"
#include "wake/name.h"
#include "wake/peer.h"
#include "wake/reason.h"
#include "wake/retry.h"

/* How far back the walk has gone behind a node, and how often. */
struct visit {
	int64_t floor;
	int count;
};

/* If the walk meets a node again, it may go further back behind it, but only a few times in all, because waits may form rings. */
enum { VISITS_MAX = 4 };

bool walk_visit(struct walk *walk, int32_t node, int64_t floor)
{
	struct visit *visit;

	while (walk->visits.count <= (size_t)node)
		*ARRAY_ADD(&walk->visits) = (struct visit){0};
	visit = &walk->visits.items[node];
	if (visit->count == VISITS_MAX || (visit->count && floor >= visit->floor))
		return false;
	visit->floor = floor;
	visit->count++;
	return true;
}

void walk_link(struct walk *walk, int32_t from, int32_t to, enum edge_kind kind, int64_t ts)
{
	if (to == NODE_NONE)
		walk->cut.graph->target = from;
	else
		graph_edge(walk->cut.graph, from, to, kind, ts);
}

void walk_later(struct walk *walk, struct errand errand)
{
	*ARRAY_ADD(&walk->errands) = errand;
}

/*
 * When the end of the wait was asked for, and by whom. What the thread did between the ask and the wait does not matter, so
 * the node begins with the ask.
 */
static struct ask waited_since(struct walk *walk, const struct thread *thread, size_t at, int32_t index)
{
	struct node *node = &walk->cut.graph->nodes.items[index];
	const struct part *const *parts = walk->cut.wake->parts;
	struct ask ask = {thread->pieces.items[at].start, thread->index};

	for (int i = 0; i < PARTS_COUNT; i++)
		if (parts[i]->asked) {
			ask = parts[i]->asked(walk->cut.wake, thread, at);
			break;
		}
	node->start = sooner(node->start, ask.since);
	return ask;
}

size_t walk_piece_at(const struct thread *thread, const struct errand *errand)
{
	size_t at = thread_find(thread, errand->at);
	const struct piece *piece = thread->pieces.items + at;

	if (at > 1 && piece[-1].start == errand->at && (piece[-1].what != WHAT_RUN || errand->after == NODE_NONE))
		at--;
	return at;
}

static bool is_cut(const struct wake *wake, const struct thread *thread, size_t wait)
{
	for (int i = 0; i < PARTS_COUNT; i++)
		if (wake->parts[i]->cuts && wake->parts[i]->cuts(wake, thread, wait))
			return true;
	return false;
}

void walk_explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	const struct part *part = walk->cut.wake->parts[wait->cause / CAUSES_EACH];

	if (is_cut(walk->cut.wake, thread, at))
		walk_link(walk, nobody_node(&walk->cut, thread, wait, errand.ts, NULL), node, EDGE_WAKE, errand.ts);
	else if (part->explain)
		part->explain(walk, thread, at, node, errand);
	else if (wait->cause == CAUSE_THREAD)
		walk_later(walk, errand);
	else
		walk_link(walk, nobody_node(&walk->cut, thread, wait, errand.ts, NULL), node, EDGE_WAKE, errand.ts);
}

static int32_t process_of(const struct wake *wake, int32_t thread)
{
	return thread == INDEX_NONE ? 0 : events_tgid(wake->events, wake->threads.items[thread]->tid);
}

static bool is_idle(const struct wake *wake, const struct piece *wait)
{
	return wait->what == WHAT_WAIT && reason_at(wake->reasons, wait->call)->many;
}

/*
 * Tells whether this thread's process started the other's after the asker began to wait (`since`), as a server starts a script for a request; or
 * before that, if this thread has waited for nobody else ever since.
 */
static bool is_own_child(const struct wake *wake, const struct thread *thread, size_t at, int32_t other, int64_t since)
{
	int64_t started = core_started(wake, thread, wake->threads.items[other]);

	return started != TIME_NONE && (started >= since || ask_is_for_child(wake, thread, at, other));
}

/*
 * Tells whether another client's request ended this wait. A thread that waits for any of many events is idle: it has done all that it could for
 * the asker. So if it idled again before it answered, the request that ended this wait does not explain why the asker waited. A process that this
 * one started meanwhile is no client, nor is a child if the thread has waited for that child alone ever since.
 */
static bool is_of_another(const struct wake *wake, const struct thread *thread, size_t at, const struct errand *errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	int32_t own = process_of(wake, thread->index), by = wait->flags & PIECE_TICK ? INDEX_NONE : core_ender(wake, wait).thread;
	int32_t process = process_of(wake, by);

	return is_idle(wake, wait) && own && errand->idle.process == own && process && process != own && process != errand->idle.ended_by &&
	       process != process_of(wake, errand->asker) && !core_is_kernels(wake, wake->threads.items[by]) &&
	       !is_own_child(wake, thread, at, by, errand->floor);
}

/* Notes in the errand that the walk passes this wait. */
static void pass(const struct wake *wake, const struct thread *thread, const struct piece *wait, struct errand *errand)
{
	int32_t own = process_of(wake, thread->index), by = process_of(wake, core_ender(wake, wait).thread);

	if (is_idle(wake, wait) && errand->idle.process != own)
		errand->idle = (struct idle){own, by == own ? 0 : by};
}

static void walk_wait(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct ask ask, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->cut.wake, thread, at);
	int32_t awaited = ask_awaits(walk->cut.wake, thread, at);
	bool another = ask.since == wait->start && is_of_another(walk->cut.wake, thread, at, &errand);

	errand.after = node;
	errand.ts = end;
	errand.asker = thread->index;
	errand.at = sooner(errand.at, end);
	errand.floor = later(errand.floor, walk->cut.graph->nodes.items[node].start);
	errand.edge = EDGE_WAKE;
	errand.index = wait->cause_index;
	if (wait->flags & PIECE_POLL)
		walk->cut.wake->parts[PART_POLL]->explain(walk, thread, at, node, errand);
	else if (awaited != INDEX_NONE) {
		errand.index = awaited;
		errand.part = PART_SCHED;
		walk_later(walk, errand);
	} else if (peer_known(walk->cut.wake, thread, at))
		walk->cut.wake->parts[PART_PEER]->explain(walk, thread, at, node, errand);
	else if (another || ask_of_unknown(walk->cut.wake, thread, at))
		walk_link(walk, nobody_node(&walk->cut, thread, wait, end, NULL), node, EDGE_WAKE, end);
	else
		walk_explain(walk, thread, at, node, errand);
}

/* Explains a wait that a signal broke off: whoever sent it did not end the wait, nobody did. False: none did. */
static bool walk_broken(struct walk *walk, const struct thread *thread, size_t at, int32_t node)
{
	const struct piece *wait = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->cut.wake, thread, at);

	if (!(wait->flags & PIECE_BROKEN))
		return false;
	walk_link(walk, nobody_node(&walk->cut, thread, wait, end, thread->died != TIME_NONE ? "end" : "signal"), node, EDGE_WAKE, end);
	return true;
}

/* Before its first piece the thread did not exist: the walk goes on in the thread that made it. */
static void walk_birth(struct walk *walk, const struct thread *thread, int32_t node, struct errand errand)
{
	if (thread->born == TIME_NONE || thread->parent == INDEX_NONE)
		return;
	walk_later(walk, (struct errand){.part = PART_SCHED,
					 .index = thread->parent,
					 .at = thread->born,
					 .floor = errand.floor,
					 .after = node,
					 .edge = EDGE_ASYNC,
					 .ts = thread->born,
					 .asker = INDEX_NONE});
}

/*
 * The errand's thread did not exist yet at that time. Waits in vain belong to the thread that ended the last of them; before that thread was made,
 * they belong to the thread that made it, unless that is the one that waited.
 */
static void walk_unborn(struct walk *walk, const struct thread *thread, struct errand errand)
{
	if (thread->born == TIME_NONE || thread->born < errand.at || thread->parent == INDEX_NONE || thread->parent == errand.asker)
		return;
	errand.index = thread->parent;
	walk_later(walk, errand);
}

/* How far back the thread's own story matters: the run may be for something that began later. */
static int64_t walk_run(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *piece = &thread->pieces.items[at];
	const struct part *part = walk->cut.wake->parts[piece->cause / CAUSES_EACH];

	return piece->what == WHAT_RUN && part->began ? part->began(walk, thread, at, node, errand) : errand.floor;
}

static void walk_thread(struct walk *walk, struct errand errand)
{
	const struct thread *thread = core_sync(walk->cut.wake, errand.index);
	size_t at = walk_piece_at(thread, &errand);
	int32_t node, after = errand.after;
	struct ask ask;

	if (!walk->cut.wake->switches)
		return; /* nobody knows how long the thread did what */
	if (at == 0)
		walk_unborn(walk, thread, errand);
	while (at-- > 0) {
		const struct piece *piece = &thread->pieces.items[at];

		node = piece_node(&walk->cut, thread, at, errand.asker);
		walk_link(walk, node, after, errand.edge, errand.ts);
		ask = piece->what == WHAT_WAIT ? waited_since(walk, thread, at, node) : (struct ask){piece->start, thread->index};
		/* Waits may form a ring if the clock is coarse, so a wait that is met again is walked only if that leads further back. */
		if (piece->what == WHAT_WAIT && piece->start < errand.at && walk_visit(walk, node, later(errand.floor, ask.since)) &&
		    !walk_broken(walk, thread, at, node))
			walk_wait(walk, thread, at, node, ask, errand);
		pass(walk->cut.wake, thread, piece, &errand);
		if (ask.since <= errand.floor || piece->flags & PIECE_LOST)
			return;
		errand.floor = walk_run(walk, thread, at, node, errand);
		if (ask.since < piece->start) {
			thread = core_sync(walk->cut.wake, ask.by);
			at = thread_find(thread, ask.since);
		}
		after = node;
		errand.at = sooner(errand.at, ask.since);
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
	}
	if (after != errand.after)
		walk_birth(walk, thread, after, errand);
}

static void walk_all(struct walk *walk)
{
	while (walk->errands.count) {
		struct errand errand = walk->errands.items[--walk->errands.count];

		if (errand.part == PART_SCHED)
			walk_thread(walk, errand);
		else
			walk->cut.wake->parts[errand.part]->walk(walk, errand);
	}
}

struct wake_target wake_find(struct wake *wake, const struct wake_wanted *wanted)
{
	const struct thread *thread;

	for (int i = 0; i < PARTS_COUNT; i++) {
		int32_t index = wake->parts[i]->find ? wake->parts[i]->find(wake, wanted) : INDEX_NONE;

		if (index != INDEX_NONE)
			return (struct wake_target){i, index, wanted};
	}
	/* Without switches nothing can be said about a thread. */
	thread = wake->switches ? core_thread_find(wake, wanted->tid, wanted->ts) : NULL;
	return (struct wake_target){PART_SCHED, thread ? thread->index : INDEX_NONE, wanted};
}

struct graph *wake_graph(struct wake *wake, const char *id, struct wake_target target, int64_t from, int64_t to)
{
	struct graph *graph = graph_new(GRAPH_WAKE, id);
	struct walk walk = {.cut.wake = wake, .cut.graph = graph};

	graph->from = from;
	graph->to = to;
	for (int i = 0; i < PARTS_COUNT; i++)
		if (wake->parts[i]->cut)
			wake->parts[i]->cut(wake);
	if (target.index != INDEX_NONE)
		walk_later(&walk, (struct errand){.part = target.part, .index = target.index, .at = to, .floor = from,
						  .after = NODE_NONE, .ts = TIME_NONE, .asker = INDEX_NONE});
	walk_all(&walk);
	if (graph->target == NODE_NONE)
		graph->target = nothing_node(&walk.cut, target.wanted);
	free(walk.errands.items);
	free(walk.visits.items);
	cut_end(&walk.cut);
	return graph;
}
