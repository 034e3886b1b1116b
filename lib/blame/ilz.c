/* Iterative logical zeroing, after AUDIT (USENIX ATC 2018), section 6.2, and IPS-2's logical zeroing. */
#include <stdlib.h>

#include "base/fail.h"
#include "blame/algorithm.h"
#include "blame/critical_path.h"
#include "blame/depth.h"
#include "blame/replay_wake.h"
#include "graph/graph.h"

/*
 * The replay: how long a request would have taken if some of its nodes had done their own work in no time.
 *
 * It runs a request activity graph again; only the recorded times tell what follows what. S and E are a
 * node's start and end in the replay; s, e, ws and we are the recorded times of start, end, wait_start and
 * wait_end.
 *
 * - The request, a node without parent, and a node that started before its parent start at their recorded times.
 * - A node has a clock. It is set to S when the node starts, and runs while the node is active, unless the node's work
 *   is taken as zero. While the node waits, the clock stands.
 * - A child starts at the reading of its parent's clock at s. If the parent waits then, the reading grows by the recorded time from when
 *   the parent was last active, or a wait of it ended, to s. A child that started after its parent's end keeps its
 *   distance from that end. The beginning of a wait is read in the same way.
 * - A wait for a child c that started before we and ended by we ends with the child: at max(its beginning, E(c)),
 *   plus the recorded time between max(ws, e(c)) and we. Any other wait lasts as long as recorded. The parent's clock is
 *   then set to the wait's end, unless it is later already.
 * - A node ends at the reading of its clock at e.
 * - A join of all ends at the latest of its S and the E of those awaited nodes that ended by its e; a join of any at
 *   the later of its S and the earliest E of all awaited nodes. To this is added the recorded time from the same point,
 *   taken with s and e in place of S and E, to the join's e. If no awaited node had ended by then, the join lasts as long as recorded.
 *
 * Empty waits have no effect. If no work is taken as zero, every node starts and ends at its recorded times. Taking a node's work
 * as zero shortens no request by more than that work.
 */
/* How the replay takes a node's work. LONGER: its clock goes forward by 1 ns when it starts. */
enum replay_work { WORK_AS_IT_WAS, WORK_ZERO, WORK_LONGER };

#define NEVER INT64_MAX

enum step_what { STEP_RESUME, STEP_END, STEP_START, STEP_WAIT };

/* Each says whether it decided the time of a resumption in the last replay. Several are set if they give the same time. */
enum { BY_CLOCK = 1, BY_WAIT = 2, BY_END = 4 };

/* An event of the replay, at its recorded time. The node of a wait is the child. */
struct step {
	int64_t time;
	int64_t order; /* among steps of the same time */
	int32_t node;
	uint8_t what, by;
};

struct state { /* of a node, at the current step of the replay */
	int64_t start, end;    /* NEVER: not known yet */
	int64_t clock, at;     /* the clock's reading, and the recorded time at which it was read */
	int64_t wait;	       /* when the parent began to wait for it */
	uint64_t work;	       /* how long it was active, ns */
	int32_t waits;	       /* how many have begun and not ended; a join has one more, because it does no work */
	uint8_t work_as;       /* enum replay_work */
	bool end_read;	        /* in this pass, another node's time was read from this end */
	bool clock_matters, start_matters, wait_matters, end_matters; /* from the current step on, it affects the request's end */
	bool matters;	       /* its clock affects the request's end at any time */
};

struct replay {
	const struct graph *graph;
	int32_t root;
	uint32_t *depth;
	struct state *state; /* by node */
	ARRAY(struct step) steps; /* in order */
	bool again; /* another pass is needed: an end changed after it had been read, or came to matter after its step was passed */
};

static int64_t after(int64_t time, int64_t from, int64_t to)
{
	return time == NEVER ? NEVER : (int64_t)((uint64_t)time + ((uint64_t)to - (uint64_t)from));
}

/*
 * Orders steps of the same time so that a time is known before others read it, and one pass is nearly always enough: first ends of nodes
 * and waits that began earlier, nodes before their callers, awaited nodes before joins; then starts, callers first; then the
 * ends of nodes that start at this time.
 */
static void add_step(struct replay *replay, enum step_what what, int32_t node, int64_t time)
{
	const struct node *n = &replay->graph->nodes.items[node];
	int64_t depth = replay->depth[node];
	int64_t third = what == STEP_START || what == STEP_WAIT ? 1 : what == STEP_END && n->start == time ? 2 : 0;
	int64_t within = third == 1 ? 4 * depth : -4 * (what == STEP_RESUME ? depth - 1 : depth);

	if (what == STEP_END)
		within += n->join == JOIN_NONE ? 1 : 2;
	*ARRAY_ADD(&replay->steps) =
		(struct step){.time = time, .order = (third << 40) + within, .node = node, .what = what};
}

static void add_wait(struct replay *replay, int32_t child)
{
	const struct node *node = &replay->graph->nodes.items[child], *parent;

	if (node->parent == NODE_NONE || node->wait_start >= node->wait_end)
		return;
	parent = &replay->graph->nodes.items[node->parent];
	if (node->wait_start >= parent->end || node->wait_end <= parent->start)
		return;
	add_step(replay, STEP_WAIT, child, later(node->wait_start, parent->start));
	if (node->wait_end <= parent->end)
		add_step(replay, STEP_RESUME, child, node->wait_end);
}

static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->node != b->node ? (a->node > b->node) - (a->node < b->node) : a->what - b->what;
}

/* For a request activity graph that is not empty; root: the node that is the request. */
static struct replay *replay_new(const struct graph *graph, int32_t root)
{
	struct replay *replay = NEW(struct replay);

	replay->graph = graph;
	replay->root = root;
	replay->depth = depth_of_nodes(graph);
	replay->state = memory_new(graph->nodes.count + 1, sizeof(*replay->state));
	for (size_t i = 0; i < graph->nodes.count; i++) {
		add_step(replay, STEP_START, i, graph->nodes.items[i].start);
		add_step(replay, STEP_END, i, graph->nodes.items[i].end);
		add_wait(replay, i);
	}
	if (replay->steps.count)
		qsort(replay->steps.items, replay->steps.count, sizeof(struct step), compare_steps);
	return replay;
}

static void replay_free(struct replay *replay)
{
	free(replay->depth);
	free(replay->state);
	free(replay->steps.items);
	free(replay);
}

static void replay_take(struct replay *replay, int32_t node, enum replay_work work)
{
	replay->state[node].work_as = work;
}

/* The reading of the node's clock at a recorded time. */
static int64_t reading(struct state *state, int64_t time)
{
	if (state->waits > 0)
		return after(state->clock, state->at, time);
	state->work += (uint64_t)time - (uint64_t)state->at;
	if (state->work_as != WORK_ZERO)
		state->clock = after(state->clock, state->at, time);
	state->at = time;
	return state->clock;
}

static int64_t end_of(struct replay *replay, int32_t node)
{
	replay->state[node].end_read = true;
	return replay->state[node].end;
}

static bool starts_alone(const struct replay *replay, int32_t node)
{
	const struct node *nodes = replay->graph->nodes.items;
	int32_t parent = nodes[node].parent;

	return node == replay->root || parent == NODE_NONE || nodes[node].start < nodes[parent].start;
}

static void start_node(struct replay *replay, int32_t node)
{
	const struct node *n = &replay->graph->nodes.items[node];
	const struct node *parent = &replay->graph->nodes.items[n->parent];
	struct state *state = &replay->state[node];

	if (starts_alone(replay, node))
		state->start = n->start;
	else if (n->start <= parent->end)
		state->start = reading(&replay->state[n->parent], n->start);
	else
		state->start = after(end_of(replay, n->parent), parent->end, n->start);
	state->clock = state->work_as == WORK_LONGER ? after(state->start, 0, 1) : state->start;
	state->at = n->start;
	state->work = 0;
	state->waits = n->join != JOIN_NONE;
}

static void begin_wait(struct replay *replay, const struct step *step)
{
	struct state *parent = &replay->state[replay->graph->nodes.items[step->node].parent];

	replay->state[step->node].wait = reading(parent, step->time);
	parent->waits++;
}

static void resume(struct replay *replay, struct step *step)
{
	const struct node *node = &replay->graph->nodes.items[step->node];
	struct state *state = &replay->state[step->node], *parent = &replay->state[node->parent];
	int64_t began = later(node->wait_start, replay->graph->nodes.items[node->parent].start);
	int64_t time = after(state->wait, began, step->time), end;

	step->by = BY_WAIT;
	if (node->start < step->time && node->end <= step->time) {
		end = end_of(replay, step->node);
		step->by = end > state->wait ? BY_END : end < state->wait ? BY_WAIT : BY_END | BY_WAIT;
		time = after(later(state->wait, end), later(began, node->end), step->time);
	}
	if (parent->clock > time)
		step->by = BY_CLOCK;
	else if (parent->clock == time)
		step->by |= BY_CLOCK;
	parent->clock = later(parent->clock, time);
	parent->at = step->time;
	parent->waits--;
}

/* When the event that the join awaited happened, as recorded and in the replay; false: it had not happened by the join's recorded end. */
static bool awaited(struct replay *replay, int32_t join, int64_t *recorded, int64_t *replayed)
{
	const struct node *nodes = replay->graph->nodes.items;
	bool all = nodes[join].join == JOIN_ALL, found = false;
	size_t count;
	const struct edge *edges = graph_arriving(replay->graph, join, &count);

	for (size_t i = 0; i < count; i++) {
		int32_t from = edges[i].from;
		int64_t was = nodes[from].end, is;

		if (edges[i].kind != EDGE_JOIN || from == join || (all && was > nodes[join].end))
			continue;
		is = end_of(replay, from);
		if (!found || (all ? was > *recorded : was < *recorded))
			*recorded = was;
		if (!found || (all ? is > *replayed : is < *replayed))
			*replayed = is;
		found = true;
	}
	return found && *recorded <= nodes[join].end;
}

static int64_t join_end(struct replay *replay, int32_t join)
{
	const struct node *node = &replay->graph->nodes.items[join];
	int64_t start = replay->state[join].start, recorded, replayed;

	if (!awaited(replay, join, &recorded, &replayed))
		return after(start, node->start, node->end);
	return after(later(start, replayed), later(node->start, recorded), node->end);
}

static void end(struct replay *replay, int32_t node)
{
	const struct node *n = &replay->graph->nodes.items[node];
	struct state *state = &replay->state[node];
	int64_t time = n->join == JOIN_NONE ? reading(state, n->end) : join_end(replay, node);

	if (time != state->end && state->end_read)
		replay->again = true;
	state->end = time;
}

static void take(struct replay *replay, struct step *step)
{
	switch (step->what) {
	case STEP_RESUME:
		resume(replay, step);
		break;
	case STEP_END:
		end(replay, step->node);
		break;
	case STEP_START:
		start_node(replay, step->node);
		break;
	default:
		begin_wait(replay, step);
	}
}

/*
 * Sets how long the request takes, in nanoseconds. 0; -1 after fail(): joins await each other in a circle.
 *
 * All ends begin as NEVER. Each pass can only make ends earlier. The last pass is the one that changes no end after it was read:
 * then every end is as late as the times that it depends on make it, and no later.
 */
static int replay_latency(struct replay *replay, uint64_t *latency)
{
	const struct state *root = &replay->state[replay->root];

	for (size_t i = 0; i < replay->graph->nodes.count; i++)
		replay->state[i].start = replay->state[i].end = NEVER;
	do {
		replay->again = false;
		for (size_t i = 0; i < replay->graph->nodes.count; i++)
			replay->state[i].end_read = false;
		for (size_t i = 0; i < replay->steps.count; i++)
			take(replay, &replay->steps.items[i]);
	} while (replay->again);
	if (root->end == NEVER || root->start == NEVER)
		return fail("graph %s: joins await each other in a circle; the request cannot be replayed",
			    replay->graph->id);
	*latency = (uint64_t)root->end - (uint64_t)root->start;
	return 0;
}

/* Marks what the start was read from: the parent's clock, or its end. */
static void start_matters(struct replay *replay, int32_t node)
{
	const struct node *nodes = replay->graph->nodes.items, *n = &nodes[node];

	if (starts_alone(replay, node))
		return;
	if (n->start <= nodes[n->parent].end)
		replay->state[n->parent].clock_matters = replay->state[n->parent].matters = true;
	else
		replay->state[n->parent].end_matters = true;
}

static void resume_matters(struct replay *replay, const struct step *step)
{
	struct state *state = &replay->state[step->node];
	struct state *parent = &replay->state[replay->graph->nodes.items[step->node].parent];

	if (!parent->clock_matters)
		return;
	parent->clock_matters = step->by & BY_CLOCK;
	state->wait_matters |= (step->by & BY_WAIT) != 0;
	state->end_matters |= (step->by & BY_END) != 0;
}

/* All nodes that a join awaited may matter. If one ended when the join did or later, its step may have been passed: that takes another pass. */
static void join_matters(struct replay *replay, const struct step *step)
{
	size_t count;
	const struct edge *edges = graph_arriving(replay->graph, step->node, &count);

	replay->state[step->node].start_matters = true;
	for (size_t i = 0; i < count; i++) {
		struct state *state = &replay->state[edges[i].from];

		if (edges[i].kind != EDGE_JOIN || state->end_matters)
			continue;
		state->end_matters = true;
		replay->again |= replay->graph->nodes.items[edges[i].from].end >= step->time;
	}
}

static void look_back(struct replay *replay, const struct step *step)
{
	struct state *state = &replay->state[step->node], *parent;

	switch (step->what) {
	case STEP_RESUME:
		resume_matters(replay, step);
		break;
	case STEP_END:
		if (state->end_matters && replay->graph->nodes.items[step->node].join != JOIN_NONE)
			join_matters(replay, step);
		else if (state->end_matters)
			state->clock_matters = state->matters = true;
		break;
	case STEP_START:
		if (state->clock_matters || state->start_matters)
			start_matters(replay, step->node);
		break;
	default:
		parent = &replay->state[replay->graph->nodes.items[step->node].parent];
		parent->clock_matters |= state->wait_matters;
		parent->matters |= state->wait_matters;
	}
}

/*
 * Finds the nodes that could have shortened the last replay by doing their work faster, by going back from the request's
 * end along all times that it was read from. No other node could; not every node found could.
 */
static void replay_look_back(struct replay *replay)
{
	for (size_t i = 0; i < replay->graph->nodes.count; i++)
		replay->state[i].start_matters = replay->state[i].wait_matters = replay->state[i].end_matters =
			replay->state[i].matters = false;
	replay->state[replay->root].end_matters = true;
	do {
		replay->again = false;
		for (size_t i = 0; i < replay->graph->nodes.count; i++)
			replay->state[i].clock_matters = false;
		for (size_t i = replay->steps.count; i--;)
			look_back(replay, &replay->steps.items[i]);
	} while (replay->again);
}

static bool replay_matters(const struct replay *replay, int32_t node)
{
	return replay->state[node].matters;
}

/* How long the node was active, in nanoseconds; known after a replay. */
static uint64_t replay_work_of(const struct replay *replay, int32_t node)
{
	return replay->state[node].work;
}

/* A turn tries at most this number of nodes, for graphs in which zeroing seldom helps. */
enum { NODE_TRIES = 1000 };

struct zeroing {
	struct replay *replay;
	uint64_t latency;
	struct picks nodes; /* all that have work, most work first */
	bool *chosen;	      /* by index in `nodes` */
};

static int start(struct zeroing *zeroing, const struct graph *graph, int32_t root)
{
	zeroing->replay = replay_new(graph, root);
	if (replay_latency(zeroing->replay, &zeroing->latency) < 0)
		return -1;
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (replay_work_of(zeroing->replay, i))
			picks_add(&zeroing->nodes, i, share_whole(replay_work_of(zeroing->replay, i)));
	picks_sort(&zeroing->nodes, graph);
	zeroing->chosen = memory_new(zeroing->nodes.list.count + 1, sizeof(bool));
	return 0;
}

static void finish(struct zeroing *zeroing)
{
	replay_free(zeroing->replay);
	free(zeroing->nodes.list.items);
	free(zeroing->chosen);
}

/* How long the request takes if this node's work is taken in this way as well. */
static uint64_t latency_with(struct zeroing *zeroing, int32_t node, enum replay_work work)
{
	uint64_t latency = zeroing->latency;

	replay_take(zeroing->replay, node, work);
	replay_latency(zeroing->replay, &latency); /* cannot fail, because it did not in start() */
	replay_take(zeroing->replay, node, WORK_AS_IT_WAS);
	return latency;
}

struct best {
	size_t place; /* index in `nodes` */
	uint64_t gain;
	bool critical; /* if it were longer, the request would be longer too */
};

/* Tells whether a node with this much work can still replace the best. If not, no later node can, because they have no more work. */
static bool can_win(const struct best *best, struct share work)
{
	int order = share_compare(work, share_whole(best->gain));

	return best->critical || !best->gain ? order > 0 : order >= 0;
}

static void try_node(struct zeroing *zeroing, size_t place, struct best *best)
{
	int32_t node = zeroing->nodes.list.items[place].node;
	uint64_t gain = zeroing->latency - latency_with(zeroing, node, WORK_ZERO);
	bool critical;

	if (!gain || gain < best->gain)
		return;
	critical = latency_with(zeroing, node, WORK_LONGER) > zeroing->latency;
	if (gain > best->gain || (critical && !best->critical))
		*best = (struct best){place, gain, critical};
}

static struct best best_node(struct zeroing *zeroing)
{
	const struct pick *nodes = zeroing->nodes.list.items;
	struct best best = {0};
	int tries = 0;

	replay_look_back(zeroing->replay);
	for (size_t i = 0; i < zeroing->nodes.list.count && tries < NODE_TRIES; i++) {
		if (zeroing->chosen[i] || !replay_matters(zeroing->replay, nodes[i].node))
			continue;
		if (!can_win(&best, nodes[i].score))
			break;
		try_node(zeroing, i, &best);
		tries++;
	}
	return best;
}

static void choose_nodes(struct zeroing *zeroing, size_t count, struct picks *picks)
{
	for (uint32_t turn = 1; turn <= count; turn++) {
		struct best best = best_node(zeroing);
		int32_t node;

		if (!best.gain)
			return;
		node = zeroing->nodes.list.items[best.place].node;
		zeroing->chosen[best.place] = true;
		replay_take(zeroing->replay, node, WORK_ZERO);
		replay_latency(zeroing->replay, &zeroing->latency);
		*ARRAY_ADD(&picks->list) =
			(struct pick){.node = node, .turn = turn, .score = share_whole(best.gain)};
	}
}

/* A wake graph is zeroed deed by deed, because the pieces of a thread are pieces of one story. */
enum { DEED_TRIES = 200 }; /* at most this number of deeds are tried in a turn, those with the most time first */

struct candidate {
	const struct deed *family; /* NULL: chosen already */
	unsigned __int128 time; /* of all its nodes, between the graph's from and to */
	int32_t node;		/* stands for it in the ranking: its longest node on the path; if none is on the path, its longest */
	uint64_t node_time;
};

struct candidates {
	ARRAY(struct candidate) list;
};

static uint64_t time_within(const struct graph *graph, const struct node *node)
{
	int64_t from = node->start > graph->from ? node->start : graph->from;
	int64_t to = node->end < graph->to ? node->end : graph->to;

	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static int compare_families(const void *left, const void *right, void *context)
{
	const struct node *nodes = context;
	const struct deed *a = nodes[*(const int32_t *)left].deed->family, *b = nodes[*(const int32_t *)right].deed->family;

	if (a != b)
		return a > b ? 1 : -1;
	return *(const int32_t *)left - *(const int32_t *)right;
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void add_node(const struct blame *blame, struct candidates *candidates, int32_t index)
{
	const struct node *node = &blame->graph->nodes.items[index];
	uint64_t time = time_within(blame->graph, node);
	struct candidate *last = candidates->list.count ? &candidates->list.items[candidates->list.count - 1] : NULL;

	if (!last || last->family != node->deed->family) {
		last = ARRAY_ADD(&candidates->list);
		*last = (struct candidate){.family = node->deed->family, .node = index, .node_time = time};
	}
	last->time += time;
	if (blame->on_path[index] != blame->on_path[last->node] ? blame->on_path[index] : time > last->node_time) {
		last->node = index;
		last->node_time = time;
	}
}

static void find_candidates(const struct blame *blame, struct candidates *candidates)
{
	const struct graph *graph = blame->graph;
	int32_t *by_family = memory_new(graph->nodes.count + 1, sizeof(*by_family));

	for (size_t i = 0; i < graph->nodes.count; i++)
		by_family[i] = (int32_t)i;
	qsort_r(by_family, graph->nodes.count, sizeof(*by_family), compare_families, graph->nodes.items);
	for (size_t i = 0; i < graph->nodes.count; i++)
		add_node(blame, candidates, by_family[i]);
	qsort(candidates->list.items, candidates->list.count, sizeof(struct candidate), compare_candidates);
	free(by_family);
}

/*
 * The candidate that shortens the latency most; NULL: none does. The gain may be more than its own time: an interrupt that ends a wait
 * stands for all of the wait.
 */
static struct candidate *best_of(struct candidates *candidates, struct wake_replay *replay, uint64_t latency, uint64_t *gain)
{
	struct candidate *best = NULL;
	int tries = 0;

	*gain = 0;
	for (size_t i = 0; i < candidates->list.count && tries < DEED_TRIES; i++) {
		struct candidate *candidate = &candidates->list.items[i];
		uint64_t without;

		if (!candidate->family)
			continue;
		tries++;
		wake_replay_zero(replay, candidate->family, true);
		without = wake_replay_latency(replay);
		wake_replay_zero(replay, candidate->family, false);
		if (without < latency && latency - without > *gain) {
			*gain = latency - without;
			best = candidate;
		}
	}
	return best;
}

static void choose_deeds(const struct blame *blame, size_t count, struct picks *picks)
{
	const struct graph *graph = blame->graph;
	int32_t target = graph->target != NODE_NONE ? graph->target : path_last_node(graph);
	struct candidates candidates = {0};
	struct wake_replay *replay;
	uint64_t latency, gain;

	if (target == NODE_NONE)
		return;
	replay = wake_replay_new(graph, target);
	latency = wake_replay_latency(replay);
	find_candidates(blame, &candidates);
	for (uint32_t turn = 1; turn <= count; turn++) {
		struct candidate *best = best_of(&candidates, replay, latency, &gain);

		if (!best)
			break;
		wake_replay_zero(replay, best->family, true);
		latency -= gain;
		best->family = NULL;
		*ARRAY_ADD(&picks->list) =
			(struct pick){.node = best->node, .turn = turn, .score = share_whole(gain)};
	}
	free(candidates.list.items);
	wake_replay_free(replay);
}

static int choose_ilz(const struct blame *blame, size_t count, struct picks *picks)
{
	const struct graph *graph = blame->graph;
	struct zeroing zeroing = {0};
	int32_t root;
	int status;

	if (graph->kind == GRAPH_WAKE) {
		choose_deeds(blame, count, picks);
		return 0;
	}
	root = path_root(graph);
	if (root == NODE_NONE)
		return 0;
	status = start(&zeroing, graph, root);
	if (status == 0)
		choose_nodes(&zeroing, count, picks);
	finish(&zeroing);
	return status;
}

const struct blame_algorithm algorithm_ilz = {"ilz", choose_ilz};
