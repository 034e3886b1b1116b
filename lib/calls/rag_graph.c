#include "calls/rag.h"

#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "wake/earlier_names.h"
#include "wake/function.h"
#include "wake/name.h"

struct cut_out { /* the calls of one graph */
	const struct rag *rag;
	struct graph *graph;
	int32_t root;
	int32_t *nodes; /* by call: index of its node; NODE_NONE: not in the graph */
};

static bool several_functions(const struct wake *wake)
{
	int16_t first = CALL_NONE;

	for (size_t i = 0; i < function_all(wake)->events.count; i++) {
		int16_t function = function_all(wake)->events.items[i].function;

		if (first != CALL_NONE && function != CALL_NONE && function != first)
			return true;
		first = function == CALL_NONE ? first : function;
	}
	return false;
}

/* The outermost of the thread's calls that began at `from`. INDEX_NONE: there is none. */
static int32_t find_call(const struct rag *rag, int32_t tid, int64_t from)
{
	for (size_t i = 0; i < rag->calls.count; i++) {
		const struct rag_call *call = &rag->calls.items[i];

		if (call->start == from && rag->wake->threads.items[call->thread]->tid == tid)
			return (int32_t)i;
	}
	return INDEX_NONE;
}

/* The call's parent, or, if it is asynchronous, the innermost call that contains both its parent and its awaiter. INDEX_NONE: no call awaited it. */
static int32_t caller_of(const struct rag *rag, const struct rag_call *call)
{
	if (rag_nested(call))
		return call->parent;
	return call->awaiter == INDEX_NONE ? INDEX_NONE : rag_common(rag, call->parent, call->awaiter);
}

static int64_t call_end(const struct rag *rag, const struct rag_call *call)
{
	return call->end == TIME_NONE ? rag->wake->now : call->end;
}

static int64_t duration(const struct rag *rag, const struct rag_call *call)
{
	return call_end(rag, call) - call->start;
}

/*
 * Tells whether a caller can be a part of the same request. A caller that took more than twice as long does other things, or is the program's
 * main loop. A caller that ended before half of the call was over cannot explain why the call was slow.
 */
static bool explains(const struct rag *rag, const struct rag_call *caller, const struct rag_call *call)
{
	int64_t took = duration(rag, call);

	return duration(rag, caller) / 2 <= took && call_end(rag, caller) - call->start >= took / 2;
}

/* The request of a slow call: the outermost caller, if each caller on the way explains() the call below it. */
static int32_t find_request(const struct rag *rag, int32_t index)
{
	const struct rag_call *calls = rag->calls.items;
	int32_t caller;

	for (; index != INDEX_NONE; index = caller) {
		caller = caller_of(rag, &calls[index]);
		if (caller == INDEX_NONE || !explains(rag, &calls[caller], &calls[index]))
			break;
	}
	return index;
}

/* Tells whether the call is the root, or nested in it. */
static bool in_root(const struct cut_out *cut, int32_t call)
{
	return call != INDEX_NONE && rag_common(cut->rag, call, cut->root) == cut->root;
}

/*
 * The call's parent in this graph. A call nested in the root has its caller as parent, even if another thread's call made it. A call that was
 * awaited within the root, but made outside it, has its awaiter as parent.
 */
static int32_t parent_of(const struct cut_out *cut, int32_t index)
{
	const struct rag_call *call = &cut->rag->calls.items[index];

	if (in_root(cut, call->caller))
		return call->caller;
	return in_root(cut, call->awaiter) && !in_root(cut, call->parent) ? call->awaiter : call->parent;
}

enum { UNSEEN, OUTSIDE, INSIDE };

/* Tells whether the call descends from the root; `state` keeps the answers for the calls on the way. */
static bool comes_of(const struct cut_out *cut, int32_t call, uint8_t *state)
{
	uint8_t verdict = OUTSIDE;
	int32_t i;

	for (i = call; i != INDEX_NONE && state[i] == UNSEEN && i != cut->root; i = parent_of(cut, i))
		;
	if (i != INDEX_NONE)
		verdict = i == cut->root ? INSIDE : state[i];
	for (i = call; i != INDEX_NONE && state[i] == UNSEEN; i = parent_of(cut, i)) {
		state[i] = verdict;
		if (i == cut->root)
			break;
	}
	return verdict == INSIDE;
}

/* Tells whether the times are those of a wait that overlaps the root's time. */
static bool waits(const struct graph *graph, int64_t wait_start, int64_t wait_end)
{
	return wait_start != TIME_NONE && wait_start < graph->to && (wait_end == TIME_NONE || wait_end >= graph->from);
}

/* Clamps a time to the root's time: a call may outlive the root, or begin before it. */
static int64_t within(const struct graph *graph, int64_t ts)
{
	return ts == TIME_NONE || ts > graph->to ? graph->to : ts < graph->from ? graph->from : ts;
}

/*
 * The name of a function's event has only letters, digits and underscores; the chart has the function's own name. Ignores a chart that cannot be
 * parsed: the collector has checked charts.
 */
int rag_chart(struct wake *wake, const struct fields *fields)
{
	static const char system[] = "func:";
	struct chart *chart = chart_recorded(fields);

	for (int i = 0; chart && chart->binary && chart->function && i < chart->count; i++) {
		const char *event = chart->events[i].event;

		if (chart->events[i].role == CHART_START && strncmp(event, system, strlen(system)) == 0)
			name_function(wake->names, event + strlen(system), chart_called(chart));
	}
	if (chart)
		chart_free(chart);
	return 0;
}

/* The name of a function; the caller frees it. Without a chart, the event "prog__request" is the function request of prog. */
static char *function_name(const struct wake *wake, int16_t function)
{
	const char *name = name_at(wake->names, function, "?"), *charted = name_of_function(wake->names, function);
	const char *end = strstr(name, "__");

	if (charted)
		return memory_format("%s", charted);
	if (!end || end == name || !end[2])
		return memory_format("%s", name);
	return memory_format("%.*s:%s", (int)(end - name), name, end + 2);
}

static int32_t new_node(struct graph *graph, const char *name)
{
	return graph_named_node(graph, (int64_t)graph->nodes.count + 1, name);
}

static void add_call(struct cut_out *cut, int32_t index)
{
	const struct rag_call *call = &cut->rag->calls.items[index];
	const struct thread *thread = cut->rag->wake->threads.items[call->thread];
	char *name = function_name(cut->rag->wake, call->function);
	char *label = memory_format("%s by %s/%d%s%s", name, wake_comm_at(cut->rag->wake, thread, call->start), thread->tid,
				    call->flags & CALL_NO_START ? ", entry not in the data" : "",
				    call->flags & CALL_NO_END ? ", return not in the data" : "");
	bool async = call->flags & CALL_ASYNC_CHILD && !in_root(cut, call->caller);
	int64_t wait_start = async ? call->wait_start : call->start, wait_end = async ? call->wait_end : call->end;
	struct node *node;

	cut->nodes[index] = new_node(cut->graph, name);
	node = &cut->graph->nodes.items[cut->nodes[index]];
	node->label = graph_keep(cut->graph, label);
	node->start = within(cut->graph, call->start);
	node->end = within(cut->graph, call->end);
	node->tid = thread->tid;
	node->call = async ? CALL_ASYNC : CALL_SYNC;
	if (index != cut->root && waits(cut->graph, wait_start, wait_end)) {
		node->wait_start = within(cut->graph, wait_start);
		node->wait_end = within(cut->graph, wait_end);
	}
	free(name);
}

/* Tells whether any call that the join awaits is in the graph; calls of other requests, and calls that began after the root, are not. */
static bool awaits_any(const struct cut_out *cut, const struct rag_join *join)
{
	for (size_t i = 0; i < join->count; i++)
		if (cut->nodes[cut->rag->members.items[join->first + i]] != NODE_NONE)
			return true;
	return false;
}

/* A join node lasts as long as the longest (all) or the shortest (any) of the calls that it awaits. */
static void add_join(struct cut_out *cut, const struct rag_join *join)
{
	int32_t index = new_node(cut->graph, join->all ? "join all" : "join any"), chosen = NODE_NONE;
	const struct node *nodes = cut->graph->nodes.items;
	struct node *node;

	for (size_t i = 0; i < join->count; i++) {
		int32_t member = cut->nodes[cut->rag->members.items[join->first + i]];

		if (member == NODE_NONE)
			continue;
		graph_edge(cut->graph, member, index, EDGE_JOIN, TIME_NONE);
		if (chosen == NODE_NONE || (nodes[member].end > nodes[chosen].end) == join->all)
			chosen = member;
	}
	node = &cut->graph->nodes.items[index];
	node->join = join->all ? JOIN_ALL : JOIN_ANY;
	node->call = CALL_ASYNC;
	node->parent = cut->nodes[join->parent];
	node->start = nodes[chosen].start;
	node->end = nodes[chosen].end;
	node->wait_start = within(cut->graph, join->wait_start);
	node->wait_end = within(cut->graph, join->wait_end);
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
			cut->graph->nodes.items[cut->nodes[i]].parent = cut->nodes[parent_of(cut, (int32_t)i)];
	for (size_t i = 0; i < rag->joins.count; i++) {
		const struct rag_join *join = &rag->joins.items[i];

		if (cut->nodes[join->parent] != NODE_NONE && waits(cut->graph, join->wait_start, join->wait_end) && awaits_any(cut, join))
			add_join(cut, join);
	}
	free(state);
}

struct graph *rag_graph(struct wake *wake, int32_t tid, int64_t from, int64_t to)
{
	struct cut_out cut = {.root = INDEX_NONE};
	struct rag *rag;
	int32_t call;
	int64_t end;

	if (!several_functions(wake))
		return NULL;
	rag = rag_new(wake);
	cut.rag = rag;
	call = find_call(rag, tid, from);
	rag_witness(rag, call, to);
	cut.root = find_request(rag, call);
	end = cut.root != INDEX_NONE ? call_end(rag, &rag->calls.items[cut.root]) : 0;
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
