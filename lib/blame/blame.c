#include "blame/blame.h"

#include <stdlib.h>

#include "blame/activity.h"
#include "blame/critical_path.h"

/*
 * walk: the critical path of a wake graph, found backward from the end of the abnormal interval.
 *
 * It starts at `to` in the target (without a target: in the node that ended last) and goes back to `from`:
 *
 * - through a node that is no wait, back to its start. From there to the piece before it: among the sources of its seq edges
 *   the one that ended last. Without a seq edge, to the node that forked or called it (async, call). If it has both a seq edge and an
 *   async edge with a ts, its work was asked for at that ts: the walk follows the weaker seq edge back to that ts, and from there on
 *   the node that asked;
 * - through a wait to the node that ended it: the source of the wake, timer, ipc or flag edge with the latest ts (default: the wait's
 *   end); ties in that order of kinds, then lower id. The walk follows this cause back to the wait's own beginning, no further, and
 *   then what the waiter did before. If the cause was over before ts, it takes the time until ts too, in which its effect
 *   arrived. A wait without such an edge is itself on the path;
 * - an interrupt, timer or unknown without a piece before it stands for all of the wait that it ended;
 * - time that no node covers goes to a node of what=unknown that the walk adds to the graph, named by the reason: a node's
 *   history begins too late ("began before the data"), two pieces of a thread do not meet ("gap in the data"), or further
 *   steps would not go back in time ("waits in a circle").
 *
 * So the pieces cover [from, to) exactly, in order of time, without overlap, on any graph that graph_check() accepts,
 * and the walk takes a number of steps in proportion to the graph and its path. Nothing recurses.
 *
 * The time of a runnable or queued piece is blamed on the sources of its cpu or queue edges under the sources' own names.
 */
enum reason { BEFORE_DATA, GAP, CIRCLE, REASONS };

static const enum deed_kind reasons[REASONS] = {
	[BEFORE_DATA] = DEED_BEFORE_DATA, [GAP] = DEED_GAP, [CIRCLE] = DEED_CIRCLE,
};

struct ways { /* the edges by which the walk leaves a node; NULL: none */
	const struct edge *before; /* from the piece before it: the seq edge whose source ended last */
	const struct edge *origin; /* from the node that forked it, or else called it: the edge whose source ended last */
	const struct edge *cause;  /* from the node that ended this wait: the edge with the latest ts */
};

struct errand { /* where the walk goes on when it has come down to the current floor */
	int32_t node; /* a wait whose cause is being followed: go on with what the waiter did before it */
	bool origin;  /* the node asked for the work being followed: go on with the node itself */
	int64_t floor; /* the floor from then on */
};

struct walk {
	struct blame *blame;
	struct graph *graph;
	struct ways *ways; /* by node */
	int32_t node;	/* where the walk is; NODE_NONE: before all that the data show */
	int64_t cursor; /* all time from here to `to` is explained */
	int64_t floor;	/* the current errand explains the time back to here */
	ARRAY(struct errand) errands;
	bool *followed; /* by node: it is a wait among the errands */
	size_t patience; /* how many more steps may fail to go back in time */
	int32_t unknown[REASONS]; /* nodes; NODE_NONE: not yet added */
};

static const struct node *node_at(const struct walk *walk, int32_t node)
{
	return &walk->graph->nodes.items[node];
}

static bool ended_later(const struct node *nodes, const struct edge *a, const struct edge *b)
{
	const struct node *m = &nodes[a->from], *n = &nodes[b->from];

	return m->end != n->end ? m->end > n->end : m->id < n->id;
}

static bool better_origin(const struct node *nodes, const struct edge *a, const struct edge *b)
{
	return a->kind != b->kind ? a->kind == EDGE_ASYNC : ended_later(nodes, a, b);
}

static bool better_cause(const struct node *nodes, const struct edge *a, const struct edge *b)
{
	int64_t a_ts = a->ts == TIME_NONE ? nodes[a->to].end : a->ts;
	int64_t b_ts = b->ts == TIME_NONE ? nodes[b->to].end : b->ts;

	if (a_ts != b_ts)
		return a_ts > b_ts;
	return a->kind != b->kind ? a->kind < b->kind : nodes[a->from].id < nodes[b->from].id;
}

static void add_way(struct ways *ways, const struct node *nodes, const struct edge *edge)
{
	switch (edge->kind) {
	case EDGE_SEQ:
		if (!ways->before || ended_later(nodes, edge, ways->before))
			ways->before = edge;
		break;
	case EDGE_CALL:
	case EDGE_ASYNC:
		if (!ways->origin || better_origin(nodes, edge, ways->origin))
			ways->origin = edge;
		break;
	case EDGE_WAKE:
	case EDGE_TIMER:
	case EDGE_IPC:
	case EDGE_FLAG:
		if (!ways->cause || better_cause(nodes, edge, ways->cause))
			ways->cause = edge;
		break;
	default:
		break;
	}
}

/* Looks at each edge once, however often the walk passes its node. */
static struct ways *find_ways(const struct graph *graph)
{
	struct ways *ways = memory_new(graph->nodes.count + 1, sizeof(*ways));

	for (size_t i = 0; i < graph->edges.count; i++) {
		const struct edge *edge = &graph->edges.items[i];

		if (edge->from != edge->to)
			add_way(&ways[edge->to], graph->nodes.items, edge);
	}
	return ways;
}

/* Finds the node that an earlier ranking of this stream added; NODE_NONE: there is none. */
static int32_t find_unknown(const struct graph *graph, enum deed_kind kind)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->what == WHAT_UNKNOWN && node->start == graph->from && node->end == graph->to &&
		    node->deed->kind == kind)
			return i;
	}
	return NODE_NONE;
}

static int32_t add_unknown(struct graph *graph, enum deed_kind kind)
{
	int64_t id = graph->nodes.count;
	int32_t node;

	while (graph_find(graph, id) != NODE_NONE)
		id++;
	node = graph_node(graph, id, &(struct deed){.kind = kind, .cpu = CPU_NONE});
	graph->nodes.items[node].what = WHAT_UNKNOWN;
	graph->nodes.items[node].start = graph->from;
	graph->nodes.items[node].end = graph->to;
	return node;
}

static int32_t unknown(struct walk *walk, enum reason reason)
{
	int32_t *node = &walk->unknown[reason];

	if (*node == NODE_NONE)
		*node = find_unknown(walk->graph, reasons[reason]);
	if (*node == NODE_NONE)
		*node = add_unknown(walk->graph, reasons[reason]);
	return *node;
}

/* Gives the time from `from` to the cursor to the node. */
static void explain(struct walk *walk, int32_t node, int64_t from)
{
	struct blame *blame = walk->blame;
	struct path_piece *last = blame->path.count ? &blame->path.items[blame->path.count - 1] : NULL;

	if (from >= walk->cursor)
		return;
	if (last && last->node == node)
		last->from = from;
	else
		*ARRAY_ADD(&blame->path) = (struct path_piece){node, from, walk->cursor};
	walk->cursor = from;
}

static void close_gap(struct walk *walk)
{
	if (walk->node != NODE_NONE && node_at(walk, walk->node)->end < walk->cursor)
		explain(walk, unknown(walk, GAP), later(node_at(walk, walk->node)->end, walk->floor));
}

/* Work that a thread did before it was asked explains nothing. Work after that explains why it began so late. */
static void follow_origin_later(struct walk *walk, const struct edge *origin)
{
	if (origin->kind != EDGE_ASYNC || origin->ts == TIME_NONE || origin->ts <= walk->floor)
		return;
	*ARRAY_ADD(&walk->errands) = (struct errand){origin->from, true, walk->floor};
	walk->floor = sooner(origin->ts, walk->cursor);
}

/* Goes from the start of this node, which the cursor has reached, to what came before. */
static void step_back(struct walk *walk)
{
	const struct ways *ways = &walk->ways[walk->node];

	if (ways->before) {
		if (ways->origin)
			follow_origin_later(walk, ways->origin);
		walk->node = ways->before->from;
		close_gap(walk);
	} else {
		walk->node = ways->origin ? ways->origin->from : NODE_NONE;
	}
}

static void follow_cause(struct walk *walk, int32_t cause)
{
	*ARRAY_ADD(&walk->errands) = (struct errand){walk->node, false, walk->floor};
	walk->followed[walk->node] = true;
	walk->floor = later(walk->floor, node_at(walk, walk->node)->start);
	walk->node = cause;
}

/* The current errand's time is explained: takes up the one before. */
static void return_from_errand(struct walk *walk)
{
	struct errand errand = walk->errands.items[--walk->errands.count];

	walk->floor = errand.floor;
	walk->node = errand.node;
	if (errand.origin) {
		close_gap(walk);
		return;
	}
	walk->followed[errand.node] = false;
	if (walk->cursor > walk->floor)
		step_back(walk);
}

/* Tells whether the node stands for all time before it, too. */
static bool stands_alone(const struct walk *walk, int32_t node)
{
	switch (node_at(walk, node)->what) {
	case WHAT_IRQ:
	case WHAT_SOFTIRQ:
	case WHAT_TIMER:
	case WHAT_UNKNOWN:
		return !walk->ways[node].before && !walk->ways[node].origin;
	default:
		return false;
	}
}

static void pass(struct walk *walk)
{
	int64_t before = walk->cursor;

	explain(walk, walk->node, stands_alone(walk, walk->node) ?
		walk->floor : later(node_at(walk, walk->node)->start, walk->floor));
	if (walk->cursor == before)
		walk->patience--;
	if (walk->cursor > walk->floor)
		step_back(walk);
}

static void step(struct walk *walk)
{
	const struct edge *cause;

	if (walk->node == NODE_NONE) {
		explain(walk, unknown(walk, BEFORE_DATA), walk->floor);
		return;
	}
	if (walk->followed[walk->node] || !walk->patience) {
		explain(walk, unknown(walk, CIRCLE), walk->floor);
		return;
	}
	cause = walk->ways[walk->node].cause;
	if (node_at(walk, walk->node)->what == WHAT_WAIT && cause) {
		walk->patience--;
		follow_cause(walk, cause->from);
	} else {
		pass(walk);
	}
}

static void reverse(struct blame *blame)
{
	struct path_piece *pieces = blame->path.items;

	for (size_t i = 0, j = blame->path.count; i + 1 < j; i++) {
		struct path_piece piece = pieces[i];

		pieces[i] = pieces[--j];
		pieces[j] = piece;
	}
}

/* Appends the pieces to blame->path, in order of time. If it adds nodes to the graph, it checks the graph again. */
static void walk_back(struct blame *blame)
{
	struct graph *graph = blame->graph;
	struct walk walk = {.blame = blame, .graph = graph, .node = graph->target, .floor = graph->from};
	size_t nodes = graph->nodes.count;

	/* the walk passes a wait once on the way in and once on the way out; twice that is generous */
	walk.patience = 4 * nodes + 16;
	walk.ways = find_ways(graph);
	walk.followed = memory_new(nodes + 1, sizeof(bool));
	for (int i = 0; i < REASONS; i++)
		walk.unknown[i] = NODE_NONE;
	if (walk.node == NODE_NONE)
		walk.node = path_last_node(graph);
	walk.cursor = graph->to;
	close_gap(&walk);
	while (walk.cursor > graph->from) {
		if (walk.cursor > walk.floor)
			step(&walk);
		else
			return_from_errand(&walk);
	}
	reverse(blame);
	free(walk.errands.items);
	free(walk.followed);
	free(walk.ways);
	if (graph->nodes.count > nodes)
		graph_check(graph);
}

/* The kind of edge whose sources were served while such a node had to wait; EDGE_KINDS: it was served itself. */
static enum edge_kind kept_back_by(enum node_what what)
{
	switch (what) {
	case WHAT_RUNNABLE:
		return EDGE_CPU;
	case WHAT_QUEUE:
		return EDGE_QUEUE;
	default:
		return EDGE_KINDS;
	}
}

static void share_among_sources(struct blame *blame, struct activity *activity, const struct path_piece *piece)
{
	const struct node *nodes = blame->graph->nodes.items;
	enum edge_kind kind = kept_back_by(nodes[piece->node].what);
	size_t count;
	const struct edge *edges = graph_arriving(blame->graph, piece->node, &count);
	struct share *own = &blame->share[piece->node];
	uint64_t busy, duration = (uint64_t)piece->to - (uint64_t)piece->from;

	for (size_t i = 0; i < count; i++)
		if (edges[i].kind == kind)
			activity_runs(activity, edges[i].from, later(nodes[edges[i].from].start, piece->from),
				      sooner(nodes[edges[i].from].end, piece->to));
	busy = activity_share(activity, blame->share, NULL, NULL);
	*own = share_plus(*own, share_whole(duration - busy));
}

/* Finds the path of blame->graph, its pieces and shares. If it adds nodes to the graph, it checks the graph again. */
static void blame_wake(struct blame *blame)
{
	struct activity *activity;
	size_t count;

	walk_back(blame);
	count = blame->graph->nodes.count;
	blame->share = memory_new(count + 1, sizeof(*blame->share));
	blame->on_path = memory_new(count + 1, sizeof(*blame->on_path));
	activity = activity_new(count);
	for (size_t i = 0; i < blame->path.count; i++) {
		blame->on_path[blame->path.items[i].node] = true;
		share_among_sources(blame, activity, &blame->path.items[i]);
	}
	activity_free(activity);
}

static void (*const kinds[])(struct blame *) = {[GRAPH_RAG] = blame_rag, [GRAPH_WAKE] = blame_wake};

struct blame *blame_new(struct graph *graph)
{
	struct blame *blame = NEW(struct blame);

	blame->graph = graph;
	blame->added = graph->nodes.count;
	kinds[graph->kind](blame);
	return blame;
}

void blame_free(struct blame *blame)
{
	free(blame->on_path);
	free(blame->path.items);
	free(blame->share);
	free(blame);
}
