#include "graph/graph_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/deed_family.h"
#include "graph/graph_record.h"

static const char *const what_names[WHATS] = {
	[WHAT_METHOD] = "method",   [WHAT_RUN] = "run",	  [WHAT_RUNNABLE] = "runnable", [WHAT_WAIT] = "wait",
	[WHAT_IRQ] = "irq",	    [WHAT_SOFTIRQ] = "softirq", [WHAT_TIMER] = "timer", [WHAT_QUEUE] = "queue",
	[WHAT_SERVICE] = "service", [WHAT_UNKNOWN] = "unknown",
};

static const char *const edge_names[EDGE_KINDS] = {
	[EDGE_CALL] = "call", [EDGE_ASYNC] = "async", [EDGE_JOIN] = "join", [EDGE_WAKE] = "wake", [EDGE_TIMER] = "timer",
	[EDGE_IPC] = "ipc",   [EDGE_FLAG] = "flag",   [EDGE_SEQ] = "seq",   [EDGE_CPU] = "cpu",	  [EDGE_QUEUE] = "queue",
};

const char *node_what_name(enum node_what what)
{
	return what_names[what];
}

const char *edge_kind_name(enum edge_kind kind)
{
	return edge_names[kind];
}

struct graph *graph_new(enum graph_kind kind, const char *id)
{
	struct graph *graph = NEW(struct graph);

	graph->id = memory_text(id, strlen(id));
	graph->kind = kind;
	graph->from = graph->to = TIME_NONE;
	graph->root = graph->target = NODE_NONE;
	graph->index = NEW(struct graph_index);
	return graph;
}

static void free_index(struct graph_index *index)
{
	struct graph_text *text = index->texts;
	struct graph_deed *deed = index->deeds;
	struct graph_id *id = index->ids;

	HASH_CLEAR(hh, index->texts); /* frees the tables; the entries stay chained */
	HASH_CLEAR(hh, index->deeds);
	HASH_CLEAR(hh, index->ids);
	while (text) {
		struct graph_text *next = text->hh.next;

		free(text);
		text = next;
	}
	while (deed) {
		struct graph_deed *next = deed->hh.next;

		free(deed->deed);
		free(deed);
		deed = next;
	}
	while (id) {
		struct graph_id *next = id->hh.next;

		free(id);
		id = next;
	}
	for (size_t i = 0; i < index->copies.count; i++)
		free(index->copies.items[i]);
	free(index->copies.items);
	for (size_t i = 0; i < index->details.count; i++)
		free(index->details.items[i]);
	free(index->details.items);
	free(index->first_edge);
	free(index->first_child);
	free(index->children);
	free(index->parents.items);
	free(index->edges.items);
	free(index);
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	free_index(graph->index);
	free(graph->nodes.items);
	free(graph->edges.items);
	free(graph->window);
	free(graph->signal);
	free(graph->request);
	free(graph->answered);
	free(graph->id);
	free(graph);
}

const char *graph_intern(struct graph *graph, const char *text)
{
	size_t length = strlen(text);
	struct graph_text *entry;
	unsigned hash;

	HASH_VALUE(text, length, hash);
	HASH_FIND_BYHASHVALUE(hh, graph->index->texts, text, length, hash, entry);
	if (!entry) {
		entry = memory_new(1, sizeof(*entry) + length + 1);
		memcpy(entry->text, text, length);
		HASH_ADD_KEYPTR_BYHASHVALUE(hh, graph->index->texts, entry->text, length, hash, entry);
	}
	return entry->text;
}

const char *graph_keep(struct graph *graph, char *text)
{
	return *ARRAY_ADD(&graph->index->copies) = text;
}

static const struct deed *add_deed(struct graph *graph, struct deed *deed)
{
	struct graph_deed *entry = NEW(struct graph_deed);
	struct deed family = deed_family_of(deed);

	entry->deed = deed;
	HASH_ADD_KEYPTR(hh, graph->index->deeds, deed->key, deed->key_length, entry);
	deed->family = family.whom == deed->whom && family.cpu == deed->cpu && family.function == deed->function ? deed : graph_deed(graph, &family);
	return deed;
}

const struct deed *graph_deed(struct graph *graph, const struct deed *deed)
{
	struct graph_deed *entry = NULL;
	struct deed *copy;
	char key[512];
	size_t length = deed_key(deed, key, sizeof(key));

	if (length) {
		HASH_FIND(hh, graph->index->deeds, key, length, entry);
		return entry ? entry->deed : add_deed(graph, deed_copy(deed));
	}
	copy = deed_copy(deed);
	HASH_FIND(hh, graph->index->deeds, copy->key, copy->key_length, entry);
	if (!entry)
		return add_deed(graph, copy);
	free(copy);
	return entry->deed;
}

void graph_detail(struct graph *graph, int32_t node, const struct deed_detail *detail)
{
	struct deed_detail *copy = deed_detail_copy(detail);

	if (copy)
		*ARRAY_ADD(&graph->index->details) = copy;
	graph->nodes.items[node].detail = copy;
}

static void enter_id(struct graph_index *index, int64_t id, int32_t node)
{
	struct graph_id *entry = NEW(struct graph_id);

	entry->id = id;
	entry->node = node;
	HASH_ADD(hh, index->ids, id, sizeof(entry->id), entry);
}

static void scatter(struct graph *graph)
{
	graph->index->scattered = true;
	for (size_t i = 0; i < graph->nodes.count; i++)
		enter_id(graph->index, graph->nodes.items[i].id, i);
}

int32_t graph_find(const struct graph *graph, int64_t id)
{
	struct graph_id *entry;
	uint64_t distance;

	if (graph->index->scattered) {
		HASH_FIND(hh, graph->index->ids, &id, sizeof(id), entry);
		return entry ? entry->node : NODE_NONE;
	}
	if (!graph->nodes.count)
		return NODE_NONE;
	distance = (uint64_t)id - (uint64_t)graph->nodes.items[0].id;
	return distance < graph->nodes.count ? (int32_t)distance : NODE_NONE;
}

int32_t graph_named_node(struct graph *graph, int64_t id, const char *name)
{
	return graph_node(graph, id, &(struct deed){.kind = DEED_TEXT, .cpu = CPU_NONE, .text = name});
}

int32_t graph_node(struct graph *graph, int64_t id, const struct deed *deed)
{
	size_t count = graph->nodes.count;
	struct node *node;

	if (graph_find(graph, id) != NODE_NONE)
		return fail("graph %s: node %lld is there twice", graph->id, (long long)id);
	if (count == INT32_MAX)
		return fail("graph %s: too many nodes", graph->id);
	if (!graph->index->scattered && count && (uint64_t)id != (uint64_t)graph->nodes.items[0].id + count)
		scatter(graph);
	if (graph->index->scattered)
		enter_id(graph->index, id, count);

	node = ARRAY_ADD(&graph->nodes);
	memset(node, 0, sizeof(*node));
	node->id = id;
	node->deed = graph_deed(graph, deed);
	node->wait_start = node->wait_end = TIME_NONE;
	node->parent = NODE_NONE;
	return count;
}

void graph_edge(struct graph *graph, int32_t from, int32_t to, enum edge_kind kind, int64_t ts)
{
	*ARRAY_ADD(&graph->edges) = (struct edge){.from = from, .to = to, .ts = ts, .kind = kind};
}

const struct edge *graph_arriving(const struct graph *graph, int32_t node, size_t *count)
{
	const uint32_t *first = graph->index->first_edge;

	*count = first[node + 1] - first[node];
	return graph->edges.items + first[node];
}

const int32_t *graph_children(const struct graph *graph, int32_t node, size_t *count)
{
	const uint32_t *first = graph->index->first_child;

	*count = first[node + 1] - first[node];
	return graph->index->children + first[node];
}
