#include <stdlib.h>
#include <string.h>

#include "graph/graph_record.h"
#include "graph/words.h"

static void spell_graph(const struct graph *graph, struct line *line)
{
	line_begin(line, "graph");
	line_text(line, "id", graph->id);
	if (graph->window)
		line_text(line, "window", graph->window);
	if (graph->signal)
		line_text(line, "signal", graph->signal);
	if (graph->request)
		line_text(line, "request", graph->request);
	line_text(line, "kind", graph->kind == GRAPH_RAG ? "rag" : "wake");
	if (graph->thrown)
		line_text(line, "thrown", "yes");
	if (graph->root != NODE_NONE)
		line_integer(line, "root", graph->nodes.items[graph->root].id);
	if (graph->target != NODE_NONE)
		line_integer(line, "target", graph->nodes.items[graph->target].id);
	if (graph->from != TIME_NONE)
		line_time(line, "from", graph->from);
	if (graph->to != TIME_NONE)
		line_time(line, "to", graph->to);
	if (graph->answered) {
		line_text(line, "answered", graph->answered);
		line_integer(line, "answered_tid", graph->answered_tid);
	}
}

static void spell_method(const struct graph *graph, const struct node *node, struct line *line)
{
	static const char *const joins[] = {[JOIN_ALL] = "all", [JOIN_ANY] = "any"};

	if (node->parent != NODE_NONE) {
		line_integer(line, "parent", graph->nodes.items[node->parent].id);
		line_text(line, "call", node->call == CALL_SYNC ? "sync" : "async");
	}
	if (node->wait_start != TIME_NONE) {
		line_time(line, "wait_start", node->wait_start);
		line_time(line, "wait_end", node->wait_end);
	}
	if (node->join != JOIN_NONE)
		line_text(line, "join", joins[node->join]);
	if (node->threw)
		line_text(line, "threw", node->threw);
}

static void spell_tids(const struct node *node, struct line *line)
{
	const struct deed *deed = node->deed;

	if (deed->who && node->who_tid != node->tid)
		line_integer(line, "who_tid", node->who_tid);
	if (deed->whom && node->whom_tid != (deed->who ? 0 : node->tid))
		line_integer(line, "whom_tid", node->whom_tid);
}

void node_spell_deed(const struct node *node, struct line *line)
{
	deed_spell(node->deed, line);
	spell_tids(node, line);
}

static void spell_words(const struct node *node, struct line *line)
{
	char *label = words_label(node);

	line_text(line, "name", node->deed->name);
	if (strcmp(label, node->deed->name) != 0 || (node->label && node->deed->kind == DEED_TEXT))
		line_text(line, "label", label);
	free(label);
}

void graph_spell_node(const struct graph *graph, const struct node *node, struct line *line)
{
	line_begin(line, "node");
	line_text(line, "graph", graph->id);
	line_integer(line, "id", node->id);
	spell_words(node, line);
	line_time(line, "start", node->start);
	line_time(line, "end", node->end);
	spell_method(graph, node, line);
	if (node->tid)
		line_integer(line, "tid", node->tid);
	if (node->what != WHAT_METHOD)
		line_text(line, "what", node_what_name(node->what));
	node_spell_deed(node, line);
	if (node->detail)
		deed_detail_spell(node->detail, line);
	if (node->stack)
		line_text(line, "stack", node->stack);
}

static void spell_edge(const struct graph *graph, const struct edge *edge, struct line *line)
{
	line_begin(line, "edge");
	line_text(line, "graph", graph->id);
	line_integer(line, "from", graph->nodes.items[edge->from].id);
	line_integer(line, "to", graph->nodes.items[edge->to].id);
	line_text(line, "kind", edge_kind_name(edge->kind));
	if (edge->ts != TIME_NONE)
		line_time(line, "ts", edge->ts);
}

static int write_all(const struct graph *graph, struct stream *stream, struct line *line)
{
	spell_graph(graph, line);
	if (stream_write_line(stream, line) < 0)
		return -1;
	for (size_t i = 0; i < graph->nodes.count; i++) {
		graph_spell_node(graph, &graph->nodes.items[i], line);
		if (stream_write_line(stream, line) < 0)
			return -1;
	}
	for (size_t i = 0; i < graph->edges.count; i++) {
		spell_edge(graph, &graph->edges.items[i], line);
		if (stream_write_line(stream, line) < 0)
			return -1;
	}
	return 0;
}

int graph_write(const struct graph *graph, struct stream *stream)
{
	struct line line = {0};
	int status = write_all(graph, stream, &line);

	line_free(&line);
	return status;
}
