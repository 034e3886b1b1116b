#include "blame/replay_wake.h"

#include <stdlib.h>

/* The graph's times may have any value, and the replay adds them up along the graph; every such sum fits in this type. */
typedef __int128 wide;

/* The nodes that a node waits for, by index; NODE_NONE: none. Set once; put_in_order() removes those that would close a circle. */
struct ties {
	int32_t before;	   /* the piece before it */
	int32_t asker;	   /* the node that forked or queued it, at `asked` */
	int32_t cause;	   /* the node that ended the wait, at `ended` */
	int64_t asked, ended;
	bool bare;	   /* the cause has no history: it lasts as long as the wait */
	bool zero;	   /* the node's time is taken as zero */
	wide start, end; /* in the replay */
};

struct interval {
	int64_t from, to;
};

struct wake_replay {
	const struct graph *graph;
	int32_t target;
	struct ties *ties; /* by node */
	int32_t *order;	   /* indexes, each node after all nodes that it waits for */
	size_t ordered;
	ARRAY(struct interval) intervals; /* room for held_up() */
};

static wide wide_later(wide a, wide b)
{
	return a > b ? a : b;
}

static wide wide_sooner(wide a, wide b)
{
	return a < b ? a : b;
}

static bool ends_waits(enum edge_kind kind)
{
	return kind == EDGE_WAKE || kind == EDGE_TIMER || kind == EDGE_IPC || kind == EDGE_FLAG;
}

static bool asks(enum edge_kind kind)
{
	return kind == EDGE_ASYNC || kind == EDGE_CALL;
}

static void find_ties(const struct graph *graph, int32_t index, struct ties *ties)
{
	const struct node *nodes = graph->nodes.items, *node = &nodes[index];
	size_t count;
	const struct edge *edges = graph_arriving(graph, index, &count);

	*ties = (struct ties){.before = NODE_NONE, .asker = NODE_NONE, .cause = NODE_NONE};
	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = &edges[i];
		int64_t ts = edge->ts == TIME_NONE ? node->start : edge->ts;

		if (edge->kind == EDGE_SEQ &&
		    (ties->before == NODE_NONE || nodes[edge->from].end > nodes[ties->before].end))
			ties->before = edge->from;
		if (asks(edge->kind) && (ties->asker == NODE_NONE || ts > ties->asked)) {
			ties->asker = edge->from;
			ties->asked = ts;
		}
		ts = edge->ts == TIME_NONE ? node->end : edge->ts;
		if (node->what == WHAT_WAIT && ends_waits(edge->kind) && (ties->cause == NODE_NONE || ts > ties->ended)) {
			ties->cause = edge->from;
			ties->ended = ts < node->end ? ts : node->end;
		}
	}
}

static bool stands_for_the_wait(enum node_what what)
{
	return what == WHAT_IRQ || what == WHAT_SOFTIRQ || what == WHAT_TIMER || what == WHAT_UNKNOWN;
}

enum { UNSEEN, OPEN, DONE };

/* The next node that this one waits for and that is unseen; NODE_NONE: none. Removes ties to nodes that wait for this one. */
static int32_t next_unseen(struct ties *ties, const uint8_t *state)
{
	int32_t *all[] = {&ties->before, &ties->asker, &ties->cause};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] == NODE_NONE || (all[i] == &ties->cause && ties->bare))
			continue;
		if (state[*all[i]] == OPEN)
			*all[i] = NODE_NONE;
		else if (state[*all[i]] == UNSEEN)
			return *all[i];
	}
	return NODE_NONE;
}

static void put_in_order(struct wake_replay *replay)
{
	size_t count = replay->graph->nodes.count;
	uint8_t *state = memory_new(count + 1, 1);
	int32_t *stack = memory_new(count + 1, sizeof(*stack)), next;

	for (size_t i = 0; i < count; i++) {
		size_t depth = 0;

		if (state[i] != UNSEEN)
			continue;
		stack[depth++] = (int32_t)i;
		state[i] = OPEN;
		while (depth > 0) {
			next = next_unseen(&replay->ties[stack[depth - 1]], state);
			if (next != NODE_NONE) {
				state[next] = OPEN;
				stack[depth++] = next;
				continue;
			}
			state[stack[--depth]] = DONE;
			replay->order[replay->ordered++] = stack[depth];
		}
	}
	free(stack);
	free(state);
}

struct wake_replay *wake_replay_new(const struct graph *graph, int32_t target)
{
	struct wake_replay *replay = NEW(struct wake_replay);
	size_t count = graph->nodes.count;

	replay->graph = graph;
	replay->target = target;
	replay->ties = memory_new(count + 1, sizeof(*replay->ties));
	replay->order = memory_new(count + 1, sizeof(*replay->order));
	for (size_t i = 0; i < count; i++)
		find_ties(graph, (int32_t)i, &replay->ties[i]);
	for (size_t i = 0; i < count; i++) {
		int32_t cause = replay->ties[i].cause;

		replay->ties[i].bare = cause != NODE_NONE && stands_for_the_wait(graph->nodes.items[cause].what) &&
				       replay->ties[cause].before == NODE_NONE && replay->ties[cause].asker == NODE_NONE;
	}
	put_in_order(replay);
	return replay;
}

void wake_replay_free(struct wake_replay *replay)
{
	free(replay->ties);
	free(replay->order);
	free(replay->intervals.items);
	free(replay);
}

void wake_replay_zero(struct wake_replay *replay, const struct deed *family, bool zero)
{
	for (size_t i = 0; i < replay->graph->nodes.count; i++)
		if (replay->graph->nodes.items[i].deed->family == family)
			replay->ties[i].zero = zero;
}

/* How long the replay takes for a recorded stretch of time, taken as zero or not. */
static wide passes(const struct wake_replay *replay, bool zero, wide from, wide to)
{
	if (zero) /* only the part before the graph's `from` counts */
		to = wide_sooner(to, replay->graph->from);
	return wide_later(0, to - from);
}

/* When in the replay the node gets as far as it was at the recorded time ts. */
static wide time_of(const struct wake_replay *replay, int32_t index, int64_t ts)
{
	const struct node *node = &replay->graph->nodes.items[index];
	const struct ties *ties = &replay->ties[index];

	if (ts >= node->end)
		return ties->end + ts - node->end;
	return wide_sooner(ties->end, ties->start + passes(replay, ties->zero, node->start, ts));
}

static wide start_of(const struct wake_replay *replay, const struct node *node, const struct ties *ties)
{
	wide start = node->start, asked;

	if (ties->before != NODE_NONE)
		start = time_of(replay, ties->before, node->start);
	if (ties->asker == NODE_NONE)
		return start;
	asked = time_of(replay, ties->asker, ties->asked);
	return ties->before == NODE_NONE ? asked + node->start - ties->asked : wide_later(start, asked);
}

static wide wait_end(const struct wake_replay *replay, const struct node *node, const struct ties *ties)
{
	wide rest = node->end - wide_later(ties->ended, node->start);

	if (ties->cause == NODE_NONE)
		return ties->start + passes(replay, ties->zero, node->start, node->end);
	if (ties->bare)
		return ties->start + passes(replay, replay->ties[ties->cause].zero, node->start, ties->ended) + rest;
	return wide_later(ties->start, time_of(replay, ties->cause, ties->ended)) + rest;
}

static int compare_intervals(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* How long the node was held up by any of its sources; if not `all`, by any source that is not taken as zero. */
static wide held_up(struct wake_replay *replay, int32_t index, bool all)
{
	const struct node *nodes = replay->graph->nodes.items, *node = &nodes[index];
	enum edge_kind kind = node->what == WHAT_QUEUE ? EDGE_QUEUE : EDGE_CPU;
	size_t count;
	const struct edge *edges = graph_arriving(replay->graph, index, &count);
	wide sum = 0, until = INT64_MIN, from = wide_later(node->start, replay->graph->from);

	replay->intervals.count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct node *source = &nodes[edges[i].from];
		struct interval part = {(int64_t)wide_later(from, source->start), (int64_t)wide_sooner(node->end, source->end)};

		if (edges[i].kind == kind && part.from < part.to && (all || !replay->ties[edges[i].from].zero))
			*ARRAY_ADD(&replay->intervals) = part;
	}
	if (replay->intervals.count)
		qsort(replay->intervals.items, replay->intervals.count, sizeof(struct interval), compare_intervals);
	for (size_t i = 0; i < replay->intervals.count; i++) {
		const struct interval *part = &replay->intervals.items[i];

		sum += wide_later(0, part->to - wide_later(part->from, until));
		until = wide_later(until, part->to);
	}
	return sum;
}

static wide held_up_end(struct wake_replay *replay, int32_t index, const struct ties *ties)
{
	const struct node *node = &replay->graph->nodes.items[index];
	wide before = passes(replay, true, node->start, node->end); /* the part before the graph's `from` */
	wide all = held_up(replay, index, true), nobody = passes(replay, false, node->start, node->end) - before - all;

	return ties->start + before + held_up(replay, index, false) + (ties->zero ? 0 : nobody);
}

uint64_t wake_replay_latency(struct wake_replay *replay)
{
	const struct graph *graph = replay->graph;
	wide latency;

	for (size_t i = 0; i < replay->ordered; i++) {
		int32_t index = replay->order[i];
		const struct node *node = &graph->nodes.items[index];
		struct ties *ties = &replay->ties[index];

		ties->start = start_of(replay, node, ties);
		switch (node->what) {
		case WHAT_WAIT:
			ties->end = wait_end(replay, node, ties);
			break;
		case WHAT_RUNNABLE:
		case WHAT_QUEUE:
			ties->end = held_up_end(replay, index, ties);
			break;
		default:
			ties->end = ties->start + passes(replay, ties->zero, node->start, node->end);
		}
	}
	latency = wide_later(0, time_of(replay, replay->target, graph->to) - graph->from);
	return (uint64_t)wide_sooner(latency, UINT64_MAX);
}
