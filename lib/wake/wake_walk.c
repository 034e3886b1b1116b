#include "wake/wake_node.h"

#include <stdlib.h>

/*
 * Something still to be walked: a thread or a request, backward from `at`, no further than `floor`, because of what
 * comes after it.
 */
struct errand {
	enum target target;
	int32_t index;
	int64_t at, floor;
	int32_t after; /* node; NODE_NONE: it is the graph's target */
	enum edge_kind edge;
	int64_t ts; /* of the edge */
	int32_t asker; /* index of the thread whose wait led here; INDEX_NONE */
};

/* How far back what is behind a node was followed, and how often. */
struct visit {
	int64_t floor;
	int count;
};

/* A node met again is followed further back where that is asked for; a few times, for there are rings. */
enum { VISITS_MAX = 4 };

struct walk {
	struct cut cut;
	ARRAY(struct errand) errands;
	ARRAY(struct visit) visits; /* by node */
};

/* Whether what is behind the node is to be followed back to the floor: it was not yet. */
static bool visit(struct walk *walk, int32_t node, int64_t floor)
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

static void link_nodes(struct walk *walk, int32_t from, int32_t to, enum edge_kind kind, int64_t ts)
{
	if (to == NODE_NONE)
		walk->cut.graph->target = from;
	else
		graph_edge(walk->cut.graph, from, to, kind, ts);
}

/*
 * Since when what ended the wait was waited for, and who had asked for it. What the thread did between the ask and the wait
 * does not matter, so the node begins with the ask.
 */
static struct ask waited_since(struct walk *walk, const struct thread *thread, size_t at, int32_t index)
{
	struct node *node = &walk->cut.graph->nodes.items[index];
	struct ask ask = loop_asked(walk->cut.wake, thread, at);

	node->start = sooner(node->start, ask.since);
	return ask;
}

/*
 * One more than the index of the piece in which something happened at this time. Whoever caused something was running:
 * rather the run that ended then than what began then. The target is what it was until then.
 */
static size_t piece_at(const struct thread *thread, const struct errand *errand)
{
	size_t at = thread_find(thread, errand->at);
	const struct piece *piece = thread->pieces.items + at;

	if (at > 1 && piece[-1].start == errand->at && (piece[-1].what != WHAT_RUN || errand->after == NODE_NONE))
		at--;
	return at;
}

/*
 * A soft interrupt that had to wait until a kernel thread got the CPU: what that did since it was raised explains this time, who or what
 * raised it explains the time before. False: it did not have to wait.
 */
static bool walk_deferred(struct walk *walk, const struct thread *thread, const struct piece *wait, struct errand errand)
{
	const struct raise *raise = &walk->cut.wake->raises.items[wait->cause_index];
	struct errand raiser = errand;
	const struct thread *handler;
	size_t at;

	if (raise->handler == INDEX_NONE || raise->ts >= errand.at)
		return false;
	handler = thread_at(&walk->cut, raise->handler);
	at = piece_at(handler, &errand);
	if (at == 0)
		return false;
	errand.target = raiser.target = TARGET_THREAD;
	errand.index = raise->handler;
	raiser.index = raise->thread;
	raiser.after = piece_node(&walk->cut, handler, at - 1, thread->index);
	raiser.edge = EDGE_ASYNC;
	raiser.at = raiser.ts = raise->ts;
	if (raise->ts > errand.floor && raise->thread == INDEX_NONE)
		link_nodes(walk, bare_cause_node(&walk->cut, thread, wait, raise->ts), raiser.after, raiser.edge, raise->ts);
	else if (raise->ts > errand.floor)
		*ARRAY_ADD(&walk->errands) = raiser;
	errand.floor = later(errand.floor, raise->ts);
	*ARRAY_ADD(&walk->errands) = errand;
	return true;
}

static void walk_wait(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->cut.wake, thread, at);
	const struct raise *raise;

	errand.after = node;
	errand.ts = end;
	errand.asker = thread->index;
	errand.at = sooner(errand.at, end);
	errand.floor = later(errand.floor, walk->cut.graph->nodes.items[node].start);
	errand.edge = wait->cause == CAUSE_TIMER || wait->cause == CAUSE_SENT ? EDGE_TIMER : EDGE_WAKE;
	errand.index = wait->cause_index;
	if ((wait->cause == CAUSE_RAISED || wait->cause == CAUSE_DEFERRED) && walk_deferred(walk, thread, wait, errand))
		return;
	switch (wait->cause) {
	case CAUSE_REQUEST:
		errand.target = TARGET_REQUEST;
		break;
	case CAUSE_THREAD:
		errand.target = TARGET_THREAD;
		break;
	case CAUSE_RAISED:
		raise = &walk->cut.wake->raises.items[wait->cause_index];
		errand.after = raised_node(&walk->cut, thread, raise, end);
		link_nodes(walk, errand.after, node, EDGE_WAKE, end);
		errand.target = TARGET_THREAD;
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.edge = EDGE_SEQ;
		break;
	case CAUSE_TIMER:
	case CAUSE_SENT:
		raise = wait->cause_index == INDEX_NONE ? NULL : &walk->cut.wake->raises.items[wait->cause_index];
		if (!raise || raise->thread == thread->index) {
			link_nodes(walk, bare_cause_node(&walk->cut, thread, wait, end), node, EDGE_TIMER, end);
			return;
		}
		errand.after = armed_node(&walk->cut, thread, wait, raise, end);
		link_nodes(walk, errand.after, node, EDGE_TIMER, end);
		if (raise->ts <= errand.floor)
			return;
		errand.target = TARGET_THREAD;
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.ts = raise->ts;
		errand.edge = EDGE_SEQ;
		break;
	case CAUSE_DIRTY:
		link_nodes(walk, dirty_node(&walk->cut, thread, wait, end), node, EDGE_TIMER, end);
		return;
	default:
		link_nodes(walk, bare_cause_node(&walk->cut, thread, wait, end), node, errand.edge, end);
		return;
	}
	*ARRAY_ADD(&walk->errands) = errand;
}

/* Whoever killed the thread that the graph is about has not ended what it waited for. False: it was not killed in this wait. */
static bool walk_broken(struct walk *walk, const struct thread *thread, size_t at, int32_t node, int32_t after)
{
	const struct piece *wait = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->cut.wake, thread, at);

	if (!(wait->flags & PIECE_BROKEN) || after != NODE_NONE)
		return false;
	link_nodes(walk, nobody_node(&walk->cut, thread, wait, end, "until its end"), node, EDGE_WAKE, end);
	return true;
}

/* Before its first piece a thread was not; who made it carries on. */
static void walk_birth(struct walk *walk, const struct thread *thread, int32_t node, struct errand errand)
{
	if (thread->born == TIME_NONE || thread->parent == INDEX_NONE)
		return;
	*ARRAY_ADD(&walk->errands) = (struct errand){.target = TARGET_THREAD,
						     .index = thread->parent,
						     .at = thread->born,
						     .floor = errand.floor,
						     .after = node,
						     .edge = EDGE_ASYNC,
						     .ts = thread->born,
						     .asker = INDEX_NONE};
}

/*
 * A work that was queued begins because of whoever queued it: what the thread that does it did before that has nothing
 * to do with it. Returns how far back the thread's own story matters.
 */
static int64_t walk_work(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *piece = &thread->pieces.items[at];
	const struct work *work;

	if (piece->what != WHAT_RUN || piece->cause != CAUSE_WORK)
		return errand.floor;
	work = &walk->cut.wake->works.items[piece->cause_index];
	if (piece->start != work->started || work->by.ts <= errand.floor)
		return errand.floor;
	if (!visit(walk, node, errand.floor))
		return work->by.ts;
	if (work->by.thread == INDEX_NONE && work->cause != CAUSE_REQUEST) {
		link_nodes(walk, work_cause_node(&walk->cut, work, errand.floor, errand.asker), node, EDGE_ASYNC,
			   work->by.ts);
		return work->by.ts;
	}
	*ARRAY_ADD(&walk->errands) = (struct errand){
		.target = work->by.thread == INDEX_NONE ? TARGET_REQUEST : TARGET_THREAD,
		.index = work->by.thread == INDEX_NONE ? work->cause_index : work->by.thread,
		.at = work->by.ts,
		.floor = errand.floor,
		.after = node,
		.edge = EDGE_ASYNC,
		.ts = work->by.ts,
		.asker = INDEX_NONE};
	return work->by.ts;
}

static void walk_thread(struct walk *walk, struct errand errand)
{
	const struct thread *thread = thread_at(&walk->cut, errand.index);
	size_t at = piece_at(thread, &errand);
	int32_t node, after = errand.after;
	struct ask ask;

	if (!walk->cut.wake->switches)
		return; /* nobody knows how long it did what */
	while (at-- > 0) {
		const struct piece *piece = &thread->pieces.items[at];

		node = piece_node(&walk->cut, thread, at, errand.asker);
		link_nodes(walk, node, after, errand.edge, errand.ts);
		ask = piece->what == WHAT_WAIT ? waited_since(walk, thread, at, node) : (struct ask){piece->start, thread->index};
		/* A wait met again may be one in a ring of waits, as clocks without resolution show. */
		if (piece->what == WHAT_WAIT && piece->start < errand.at && visit(walk, node, later(errand.floor, ask.since)) &&
		    !walk_broken(walk, thread, at, node, errand.after))
			walk_wait(walk, thread, at, node, errand);
		if (ask.since <= errand.floor || piece->flags & PIECE_LOST)
			return;
		errand.floor = walk_work(walk, thread, at, node, errand);
		if (ask.since < piece->start) {
			thread = thread_at(&walk->cut, ask.by);
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

/* A loop device serves a request no longer than what ended that. */
static void walk_ender(struct walk *walk, int32_t index, const struct ender *ender, int64_t end, struct errand errand)
{
	const struct request *request = &walk->cut.wake->requests.items[index];
	const struct thread *waiter;
	const struct raise *raise;
	int32_t node = errand.after;

	errand.edge = EDGE_WAKE;
	errand.ts = end;
	errand.at = sooner(errand.at, end);
	errand.target = ender->cause == CAUSE_REQUEST ? TARGET_REQUEST : TARGET_THREAD;
	errand.index = ender->index;
	if (ender->cause == CAUSE_RAISED) {
		raise = &walk->cut.wake->raises.items[ender->index];
		waiter = thread_at(&walk->cut, request->owner == INDEX_NONE ? raise->thread : request->owner);
		errand.after = raised_node(&walk->cut, waiter, raise, end);
		link_nodes(walk, errand.after, node, EDGE_WAKE, end);
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.edge = EDGE_SEQ;
	}
	*ARRAY_ADD(&walk->errands) = errand;
}

/*
 * What ended the service of the errand's request. Who waits for a write that is followed by a flush before that is over is the
 * flush. Returns the node of the service.
 */
static int32_t walk_service(struct walk *walk, struct errand errand)
{
	struct request *request = &walk->cut.wake->requests.items[errand.index];
	struct data_part *data = request->data == INDEX_NONE ? NULL : &walk->cut.wake->data_parts.items[request->data];
	const struct ender *ender = &request->ender;
	int64_t end = request->completed;
	bool is_data = false;

	if (data && errand.at >= data->completed && (request->completed == TIME_NONE || errand.at < request->completed)) {
		ender = &data->ender;
		end = data->completed;
		is_data = true;
	}
	errand.after = is_data ? data_node(&walk->cut, errand.index) : service_node(&walk->cut, errand.index);
	errand.floor = later(errand.floor, request->issued);
	if (ender->cause != CAUSE_NONE && visit(walk, errand.after, errand.floor))
		walk_ender(walk, errand.index, ender, end, errand);
	return errand.after;
}

static void walk_request(struct walk *walk, struct errand errand)
{
	const struct request *request = &walk->cut.wake->requests.items[errand.index];
	int32_t node = NODE_NONE;

	if (request->issued != TIME_NONE && request->issued < errand.at) {
		node = walk_service(walk, errand);
		link_nodes(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
		node = walk->cut.graph->nodes.items[node].what == WHAT_SERVICE && node == request->service_node
			       ? behind_node(&walk->cut, errand.index)
			       : NODE_NONE;
		if (node != NODE_NONE) {
			link_nodes(walk, node, errand.after, errand.edge, errand.ts);
			errand.after = node;
		}
		node = errand.after;
		if (request->issued <= errand.floor)
			return;
	}
	if (request->submitter == INDEX_NONE)
		return;
	if (request->issued != request->queued) {
		node = queue_node(&walk->cut, errand.index);
		link_nodes(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
	}
	if (request->queued <= errand.floor || node == NODE_NONE)
		return;
	*ARRAY_ADD(&walk->errands) = (struct errand){.target = TARGET_THREAD,
						     .index = request->submitter,
						     .at = request->queued,
						     .floor = errand.floor,
						     .after = errand.after,
						     .edge = EDGE_SEQ,
						     .ts = TIME_NONE,
						     .asker = errand.asker};
}

static void walk_all(struct walk *walk)
{
	while (walk->errands.count) {
		struct errand errand = walk->errands.items[--walk->errands.count];

		if (errand.target == TARGET_REQUEST)
			walk_request(walk, errand);
		else
			walk_thread(walk, errand);
	}
}

struct graph *wake_graph(struct wake *wake, const char *id, enum target target, int32_t index, int64_t from, int64_t to)
{
	struct graph *graph = graph_new(GRAPH_WAKE, id);
	struct walk walk = {.cut.wake = wake, .cut.graph = graph};

	graph->from = from;
	graph->to = to;
	request_settle(wake);
	if (target != TARGET_NONE)
		*ARRAY_ADD(&walk.errands) = (struct errand){
		    .target = target, .index = index, .at = to, .floor = from, .after = NODE_NONE, .ts = TIME_NONE,
		    .asker = INDEX_NONE};
	walk_all(&walk);
	name_holders(&walk.cut);
	if (graph->target == NODE_NONE)
		graph->target = nothing_node(&walk.cut);
	free(walk.errands.items);
	free(walk.visits.items);
	cut_end(&walk.cut);
	return graph;
}
