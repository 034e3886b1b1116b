#include "graph/rag.h"

#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "program/demangle.h"

struct cut_out { /* the calls of one graph */
	const struct rag *rag;
	struct graph *graph;
	int32_t root;
	int32_t *nodes; /* by call: index of its node; NODE_NONE: not in the graph */
};

static bool several_functions(const struct wake *wake)
{
	for (size_t i = 1; i < wake->functions.count; i++)
		if (wake->functions.items[i].function != wake->functions.items[0].function)
			return true;
	return false;
}

/* The outermost of the thread's calls that began then. */
static int32_t find_call(const struct rag *rag, int32_t tid, int64_t from)
{
	for (size_t i = 0; i < rag->calls.count; i++) {
		const struct rag_call *call = &rag->calls.items[i];

		if (call->start == from && rag->wake->threads.items[call->thread]->tid == tid)
			return (int32_t)i;
	}
	return INDEX_NONE;
}

static bool is_awaited(const struct rag *rag, int32_t index)
{
	if (rag_nested(&rag->calls.items[index]) || rag->calls.items[index].wait_end != TIME_NONE)
		return true;
	for (size_t i = 0; i < rag->members.count; i++)
		if (rag->members.items[i] == index)
			return true;
	return false;
}

static int64_t duration(const struct rag *rag, const struct rag_call *call)
{
	return (call->end == TIME_NONE ? rag->wake->now : call->end) - call->start;
}

/*
 * The request that a slow call is part of: its caller, while that took no more than twice as long. What takes longer has
 * other things to do, or is the program's main loop.
 */
static int32_t find_request(const struct rag *rag, int32_t index)
{
	const struct rag_call *calls = rag->calls.items;

	while (index != INDEX_NONE && calls[index].parent != INDEX_NONE && is_awaited(rag, index) &&
	       duration(rag, &calls[calls[index].parent]) / 2 <= duration(rag, &calls[index]))
		index = calls[index].parent;
	return index;
}

enum { UNSEEN, OUTSIDE, INSIDE };

/* Whether the call comes of the root; `state` remembers all that were asked on the way. */
static bool comes_of(const struct cut_out *cut, int32_t call, uint8_t *state)
{
	const struct rag_call *calls = cut->rag->calls.items;
	uint8_t verdict = OUTSIDE;
	int32_t i;

	for (i = call; i != INDEX_NONE && state[i] == UNSEEN && i != cut->root; i = calls[i].parent)
		;
	if (i != INDEX_NONE)
		verdict = i == cut->root ? INSIDE : state[i];
	for (i = call; i != INDEX_NONE && state[i] == UNSEEN; i = calls[i].parent) {
		state[i] = verdict;
		if (i == cut->root)
			break;
	}
	return verdict == INSIDE;
}

static int64_t within(int64_t ts, int64_t to)
{
	return ts == TIME_NONE || ts > to ? to : ts;
}

/*
 * The event of a function is named as kernels name events; the function's own name comes with the chart that it was traced for. A
 * definition that cannot be read is the collector's business.
 */
int rag_chart(struct wake *wake, const struct fields *fields)
{
	static const char system[] = "func:";
	struct chart *chart = chart_recorded(fields);

	for (int i = 0; chart && chart->binary && chart->function && i < chart->count; i++) {
		const char *event = chart->events[i].event, *slash = strrchr(chart->binary, '/');
		char *function;

		if (chart->events[i].role != CHART_START || strncmp(event, system, strlen(system)) != 0)
			continue;
		function = demangle_whole(chart->function);
		wake_name_function(wake->names, event + strlen(system),
				   memory_format("%s:%s", slash ? slash + 1 : chart->binary, function));
		free(function);
	}
	if (chart)
		chart_free(chart);
	return 0;
}

/* Without a chart, "prog__request" is the function request of prog. */
static char *function_name(const struct wake *wake, int16_t function)
{
	const char *name = wake_text(wake->names, function, "?"), *charted = wake_function(wake->names, function);
	const char *end = strstr(name, "__");

	if (charted)
		return memory_format("%s", charted);
	if (!end || end == name || !end[2])
		return memory_format("%s", name);
	return memory_format("%.*s:%s", (int)(end - name), name, end + 2);
}

static int32_t new_node(struct graph *graph, const char *name)
{
	return graph_node(graph, (int64_t)graph->nodes.count + 1, name);
}

static void add_call(struct cut_out *cut, int32_t index)
{
	const struct rag_call *call = &cut->rag->calls.items[index];
	const struct thread *thread = cut->rag->wake->threads.items[call->thread];
	char *name = function_name(cut->rag->wake, call->function);
	char *label = memory_format("%s by %s/%d%s%s", name, wake_comm(cut->rag->wake, thread), thread->tid,
				    call->flags & CALL_NO_START ? ", entry not in the data" : "",
				    call->flags & CALL_NO_END ? ", return not in the data" : "");
	bool async = call->flags & CALL_ASYNC_CHILD;
	int64_t wait_start = async ? call->wait_start : call->start;
	struct node *node;

	cut->nodes[index] = new_node(cut->graph, name);
	node = &cut->graph->nodes.items[cut->nodes[index]];
	node->label = graph_keep(cut->graph, label);
	node->start = call->start;
	node->end = within(call->end, cut->graph->to);
	node->tid = thread->tid;
	node->call = async ? CALL_ASYNC : CALL_SYNC;
	if (index != cut->root && wait_start != TIME_NONE && wait_start < cut->graph->to) {
		node->wait_start = wait_start;
		node->wait_end = within(async ? call->wait_end : call->end, cut->graph->to);
	}
	free(name);
}

/* A join lasts as long as the longest of those that it awaits, or the shortest. */
static void add_join(struct cut_out *cut, const struct rag_join *join)
{
	int32_t index = new_node(cut->graph, join->all ? "join all" : "join any"), chosen = NODE_NONE;
	const struct node *nodes = cut->graph->nodes.items;
	struct node *node;

	for (size_t i = 0; i < join->count; i++) {
		int32_t member = cut->nodes[cut->rag->members.items[join->first + i]];

		if (member == NODE_NONE)
			continue; /* began when all was over */
		graph_edge(cut->graph, member, index, EDGE_JOIN, TIME_NONE);
		if (chosen == NODE_NONE || (nodes[member].end > nodes[chosen].end) == join->all)
			chosen = member;
	}
	node = &cut->graph->nodes.items[index];
	node->join = join->all ? JOIN_ALL : JOIN_ANY;
	node->call = CALL_ASYNC;
	node->parent = cut->nodes[join->parent];
	node->start = chosen == NODE_NONE ? join->wait_start : nodes[chosen].start;
	node->end = chosen == NODE_NONE ? join->wait_start : nodes[chosen].end;
	node->wait_start = join->wait_start;
	node->wait_end = within(join->wait_end, cut->graph->to);
}

static void add_all(struct cut_out *cut)
{
	const struct rag *rag = cut->rag;
	uint8_t *state = memory_new(rag->calls.count + 1, 1);

	for (size_t i = 0; i < rag->calls.count; i++) {
		cut->nodes[i] = NODE_NONE;
		if (rag->calls.items[i].start < cut->graph->to && comes_of(cut, (int32_t)i, state))
			add_call(cut, (int32_t)i);
	}
	for (size_t i = 0; i < rag->calls.count; i++)
		if (cut->nodes[i] != NODE_NONE && (int32_t)i != cut->root)
			cut->graph->nodes.items[cut->nodes[i]].parent = cut->nodes[rag->calls.items[i].parent];
	for (size_t i = 0; i < rag->joins.count; i++)
		if (cut->nodes[rag->joins.items[i].parent] != NODE_NONE &&
		    rag->joins.items[i].wait_start < cut->graph->to)
			add_join(cut, &rag->joins.items[i]);
	free(state);
}

struct graph *rag_graph(struct wake *wake, int32_t tid, int64_t from)
{
	struct cut_out cut = {.root = INDEX_NONE};
	struct rag *rag;
	int64_t end;

	if (!several_functions(wake))
		return NULL;
	rag = rag_new(wake);
	cut.rag = rag;
	cut.root = find_request(rag, find_call(rag, tid, from));
	end = cut.root != INDEX_NONE ? within(rag->calls.items[cut.root].end, wake->now) : 0;
	if (cut.root != INDEX_NONE && rag->calls.items[cut.root].start < end) {
		cut.graph = graph_new(GRAPH_RAG, "");
		cut.graph->from = rag->calls.items[cut.root].start;
		cut.graph->to = end;
		cut.nodes = memory_new(rag->calls.count, sizeof(*cut.nodes));
		add_all(&cut);
		cut.graph->root = cut.nodes[cut.root];
		free(cut.nodes);
	}
	rag_free(rag);
	return cut.graph;
}
