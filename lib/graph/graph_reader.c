#include "graph/graph_reader.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "graph/graph_index.h"
#include "graph/graph_record.h"

/* The words that a key may have, as records spell them. Word i stands for the value i. */
struct words {
	const char *const *word;
	int count;
};

static const char *const kind_words[] = {[GRAPH_RAG] = "rag", [GRAPH_WAKE] = "wake"};
static const char *const call_words[] = {[CALL_SYNC] = "sync", [CALL_ASYNC] = "async"};
static const char *const join_words[] = {[JOIN_NONE] = "none", [JOIN_ALL] = "all", [JOIN_ANY] = "any"};

static const struct words kinds = {kind_words, 2}, calls = {call_words, 2}, joins = {join_words, 3};

static int word_find(const struct words *words, const char *text)
{
	for (int i = 0; i < words->count; i++)
		if (strcmp(words->word[i], text) == 0)
			return i;
	return -1;
}

/* 1; 0 if the key is absent, which leaves *value alone; -1 after fail(). */
static int read_word(const struct fields *fields, const char *key, const struct words *words, int *value)
{
	char text[32];
	int found;

	if (!fields_text(fields, key, text, sizeof(text)))
		return 0;
	found = word_find(words, text);
	if (found < 0)
		return fail("%s '%s' is not known", key, text);
	*value = found;
	return 1;
}

static int read_what(const struct fields *fields, int *value)
{
	const char *names[WHATS];

	if (!fields_find(fields, "what"))
		return 0;
	for (int i = 0; i < WHATS; i++)
		names[i] = node_what_name(i);
	return read_word(fields, "what", &(struct words){names, WHATS}, value);
}

enum node_what node_what_read(const struct fields *fields, enum node_what otherwise)
{
	int what = otherwise;

	return read_what(fields, &what) < 0 ? otherwise : (enum node_what)what;
}

static int read_edge_kind(const struct fields *fields, int *value)
{
	const char *names[EDGE_KINDS];

	for (int i = 0; i < EDGE_KINDS; i++)
		names[i] = edge_kind_name(i);
	return read_word(fields, "kind", &(struct words){names, EDGE_KINDS}, value);
}

/* Turns a missing key into a failure. */
static int required(int found, const char *key)
{
	return found ? found : fail("%s= is missing", key);
}

static int read_mention(const struct fields *fields, const char *key, struct graph_mention *mention)
{
	return mention->node = fields_integer(fields, key, &mention->id);
}

static int read_head(struct graph *graph, const struct fields *fields)
{
	int64_t tid = 0;

	graph->window = fields_copy(fields, "window");
	graph->signal = fields_copy(fields, "signal");
	graph->request = fields_copy(fields, "request");
	graph->answered = fields_copy(fields, "answered");
	graph->thrown = fields_is(fields, "thrown", "yes");
	if (fields_integer(fields, "answered_tid", &tid) < 0)
		return -1;
	graph->answered_tid = tid > 0 && tid <= INT32_MAX ? (int32_t)tid : 0;
	if (fields_time(fields, "from", &graph->from) < 0 || fields_time(fields, "to", &graph->to) < 0)
		return -1;
	if (read_mention(fields, "root", &graph->index->root) < 0)
		return -1;
	return read_mention(fields, "target", &graph->index->target) < 0 ? -1 : 0;
}

/*
 * Reading. graph_read_begin(), graph_read_node() and graph_read_edge() take the fields of a graph, node or edge record, and keep the ids
 * that it mentions, because those nodes may come later. graph_read_end() resolves parents, edges, root and target, and calls
 * graph_check(). Each returns -1 or NULL after fail(); the caller adds file and line by stream_fail().
 */
static struct graph *graph_read_begin(const struct fields *fields)
{
	int kind = GRAPH_RAG;
	struct graph *graph;
	char *id = NULL;

	if (read_word(fields, "kind", &kinds, &kind) < 0)
		return NULL;
	id = fields_copy(fields, "id");
	if (!id) {
		required(0, "id");
		return NULL;
	}
	graph = graph_new(kind, id);
	free(id);
	if (read_head(graph, fields) < 0) {
		graph_free(graph);
		return NULL;
	}
	return graph;
}

static int read_tid(const struct fields *fields, const char *key, int32_t *tid)
{
	int64_t number = *tid;

	if (fields_integer(fields, key, &number) < 0)
		return -1;
	if (number < INT32_MIN || number > INT32_MAX)
		return fail("%s %lld is out of range", key, (long long)number);
	*tid = (int32_t)number;
	return 0;
}

/* By default the node's own thread is the deed's who, or, if the deed has no who, its whom. */
int node_read_tids(const struct fields *fields, const struct deed_record *record, struct node *node)
{
	const struct deed *deed = &record->deed;

	if (read_tid(fields, "tid", &node->tid) < 0)
		return -1;
	node->who_tid = deed->who ? node->tid : 0;
	node->whom_tid = deed->whom && !deed->who ? node->tid : 0;
	if (!record->names_tids)
		return 0;
	return read_tid(fields, "who_tid", &node->who_tid) < 0 ? -1 : read_tid(fields, "whom_tid", &node->whom_tid);
}

static char *read_name(const struct fields *fields)
{
	char *name = fields_copy(fields, "name");

	if (!name)
		required(0, "name");
	return name;
}

static void read_texts(struct graph *graph, struct node *node, const struct fields *fields)
{
	char *label = node->deed->kind == DEED_TEXT ? fields_copy(fields, "label") : NULL;
	char *stack = fields_copy(fields, "stack"), *threw = fields_copy(fields, "threw");

	if (label)
		node->label = graph_keep(graph, label);
	if (stack)
		node->stack = graph_keep(graph, stack);
	if (threw)
		node->threw = graph_intern(graph, threw);
	free(threw);
}

/* Adds a node without deed=, which must have name=. Returns its index; -1 after fail(). */
static int32_t add_named(struct graph *graph, int64_t id, const struct fields *fields)
{
	char *name = read_name(fields);
	int32_t index = name ? graph_named_node(graph, id, name) : -1;

	free(name);
	return index;
}

/* Adds the node of a record, with its deed and texts. Returns its index; -1 after fail(). */
static int32_t add_node(struct graph *graph, int64_t id, const struct fields *fields)
{
	struct deed_record record;
	bool has_deed = deed_record_read(&record, fields);
	int32_t index = has_deed ? graph_node(graph, id, &record.deed) : add_named(graph, id, fields);

	if (index >= 0 && node_read_tids(fields, &record, &graph->nodes.items[index]) < 0)
		index = -1;
	if (index >= 0 && has_deed)
		graph_detail(graph, index, &record.detail);
	if (index >= 0)
		read_texts(graph, &graph->nodes.items[index], fields);
	deed_record_free(&record);
	return index;
}

static int read_times(struct node *node, const struct fields *fields)
{
	if (required(fields_time(fields, "start", &node->start), "start") < 0)
		return -1;
	if (required(fields_time(fields, "end", &node->end), "end") < 0)
		return -1;
	if (fields_time(fields, "wait_start", &node->wait_start) < 0)
		return -1;
	return fields_time(fields, "wait_end", &node->wait_end) < 0 ? -1 : 0;
}

static int read_roles(const struct graph *graph, struct node *node, const struct fields *fields)
{
	int call = CALL_SYNC, join = JOIN_NONE, what = graph->kind == GRAPH_RAG ? WHAT_METHOD : WHAT_RUN;

	if (read_word(fields, "call", &calls, &call) < 0 || read_word(fields, "join", &joins, &join) < 0 ||
	    read_what(fields, &what) < 0)
		return -1;
	node->call = call;
	node->join = join;
	node->what = what;
	return 0;
}

static int read_parent(struct graph *graph, int32_t node, const struct fields *fields)
{
	struct graph_mention parent = {.node = node, .place = graph->index->place};
	int found = fields_integer(fields, "parent", &parent.id);

	if (found <= 0)
		return found;
	if (parent.id == graph->nodes.items[node].id)
		return fail("graph %s: node %lld is its own parent", graph->id, (long long)parent.id);
	*ARRAY_ADD(&graph->index->parents) = parent;
	return 0;
}

static int graph_read_node(struct graph *graph, const struct fields *fields)
{
	struct node *node;
	int32_t index;
	int64_t id;

	if (required(fields_integer(fields, "id", &id), "id") < 0)
		return -1;
	index = add_node(graph, id, fields);
	if (index < 0)
		return -1;
	node = &graph->nodes.items[index];
	if (read_times(node, fields) < 0 || read_roles(graph, node, fields) < 0 || graph_check_node(graph, node) < 0)
		return -1;
	return read_parent(graph, index, fields);
}

static int graph_read_edge(struct graph *graph, const struct fields *fields)
{
	struct edge_mention edge = {.ts = TIME_NONE, .place = graph->index->place};
	int kind = 0;

	if (required(fields_integer(fields, "from", &edge.from), "from") < 0 ||
	    required(fields_integer(fields, "to", &edge.to), "to") < 0 ||
	    required(read_edge_kind(fields, &kind), "kind") < 0 || fields_time(fields, "ts", &edge.ts) < 0)
		return -1;
	edge.kind = kind;
	*ARRAY_ADD(&graph->index->edges) = edge;
	return 0;
}

static int resolve(const struct graph *graph, int64_t id, int32_t *node, const char *who, uint64_t place)
{
	*node = graph_find(graph, id);
	graph->index->fault = place;
	if (*node == NODE_NONE)
		return fail("graph %s: %s node %lld, which is not there", graph->id, who, (long long)id);
	return 0;
}

static int resolve_parents(struct graph *graph)
{
	for (size_t i = 0; i < graph->index->parents.count; i++) {
		struct graph_mention *mention = &graph->index->parents.items[i];
		struct node *node = &graph->nodes.items[mention->node];

		if (resolve(graph, mention->id, &node->parent, "a parent is", mention->place) < 0)
			return -1;
	}
	return 0;
}

static int resolve_edges(struct graph *graph)
{
	int32_t from, to;

	for (size_t i = 0; i < graph->index->edges.count; i++) {
		struct edge_mention *edge = &graph->index->edges.items[i];

		if (resolve(graph, edge->from, &from, "an edge leaves", edge->place) < 0 ||
		    resolve(graph, edge->to, &to, "an edge goes to", edge->place) < 0)
			return -1;
		graph_edge(graph, from, to, edge->kind, edge->ts);
	}
	return 0;
}

/* If its record has no from= or to=, a graph lasts from its first node's start to its last node's end. */
static void bound(struct graph *graph)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		from = node->start < from ? node->start : from;
		to = node->end > to ? node->end : to;
	}
	if (graph->from == TIME_NONE)
		graph->from = graph->nodes.count ? from : 0;
	if (graph->to == TIME_NONE)
		graph->to = graph->nodes.count ? to : graph->from;
}

static int graph_read_end(struct graph *graph)
{
	struct graph_index *index = graph->index;
	uint64_t first = index->first_place;

	if (resolve_parents(graph) < 0 || resolve_edges(graph) < 0)
		return -1;
	if (index->root.node && resolve(graph, index->root.id, &graph->root, "the root is", first) < 0)
		return -1;
	if (index->target.node && resolve(graph, index->target.id, &graph->target, "the target is", first) < 0)
		return -1;
	bound(graph);
	if (graph->to < graph->from) {
		index->fault = first;
		return fail("graph %s ends before it starts", graph->id);
	}
	return graph_check(graph);
}

/*
 * Some mistakes show only at the end. So the caller gives the place of the record (stream_place()) before each graph_read_node() and
 * graph_read_edge(), and once after graph_read_begin(). If graph_read_end() fails, graph_read_fault() returns the place of the
 * record to blame; 0: not known.
 */
static void graph_read_place(struct graph *graph, uint64_t place)
{
	graph->index->place = place;
	if (!graph->index->first_place)
		graph->index->first_place = place;
}

static uint64_t graph_read_fault(const struct graph *graph)
{
	return graph->index->fault;
}

struct past_graph {
	char *id;
	UT_hash_handle hh;
};

struct graph_reader {
	struct stream *stream;
	graph_sink *sink;
	void *context;
	struct graph *graph; /* being read; NULL: none */
	char *whole;	     /* id of the last graph of everything, which is not read; NULL: none came */
	struct past_graph *past;
};

struct graph_reader *graph_reader_new(struct stream *stream, graph_sink *sink, void *context)
{
	struct graph_reader *reader = NEW(struct graph_reader);

	reader->stream = stream;
	reader->sink = sink;
	reader->context = context;
	return reader;
}

static void forget_past(struct graph_reader *reader)
{
	struct past_graph *past, *next;

	HASH_ITER(hh, reader->past, past, next) {
		HASH_DEL(reader->past, past);
		free(past->id);
		free(past);
	}
}

void graph_reader_free(struct graph_reader *reader)
{
	forget_past(reader);
	graph_free(reader->graph);
	free(reader->whole);
	free(reader);
}

static void remember(struct graph_reader *reader, const char *id)
{
	struct past_graph *past;

	HASH_FIND_STR(reader->past, id, past);
	if (past)
		return;
	past = NEW(struct past_graph);
	past->id = memory_text(id, strlen(id));
	HASH_ADD_KEYPTR(hh, reader->past, past->id, strlen(past->id), past);
}

static int end_graph(struct graph_reader *reader)
{
	struct graph *graph = reader->graph;

	reader->graph = NULL;
	remember(reader, graph->id);
	if (graph_read_end(graph) < 0) {
		uint64_t fault = graph_read_fault(graph);

		graph_free(graph);
		return fault ? fail_prefix("%s", stream_place_name(reader->stream, fault)) :
			       stream_fail(reader->stream, "%s", fail_text());
	}
	return reader->sink(reader->context, graph);
}

/* Inline, because this runs at each event, and mostly there is no graph to finish. */
static inline int finish_graph(struct graph_reader *reader)
{
	return reader->graph ? end_graph(reader) : 0;
}

int graph_reader_end(struct graph_reader *reader)
{
	int status = finish_graph(reader);

	forget_past(reader);
	free(reader->whole);
	reader->whole = NULL;
	return status;
}

static int begin_graph(struct graph_reader *reader, const struct fields *fields)
{
	if (finish_graph(reader) < 0)
		return -1;
	reader->graph = graph_read_begin(fields);
	if (!reader->graph)
		return stream_fail(reader->stream, "%s", fail_text());
	graph_read_place(reader->graph, stream_place(reader->stream));
	return 0;
}

/* Begins the graph of a node or edge that no graph record precedes. */
static int begin_unannounced(struct graph_reader *reader, const char *id)
{
	struct past_graph *past;

	if (finish_graph(reader) < 0)
		return -1;
	HASH_FIND_STR(reader->past, id, past);
	if (past)
		return stream_fail(reader->stream, "graph %s has ended; its records must stand together", id);
	reader->graph = graph_new(GRAPH_RAG, id);
	return 0;
}

/* A graph of everything (walk/whole.h) is not ranked, so its records are not read here. */
static int pass_whole(struct graph_reader *reader, const struct fields *fields)
{
	if (finish_graph(reader) < 0)
		return -1;
	free(reader->whole);
	reader->whole = fields_copy(fields, "id");
	return reader->whole ? 0 : stream_fail(reader->stream, "id= is missing");
}

static bool is_of_whole(const struct graph_reader *reader, const struct fields *fields)
{
	return reader->whole && !reader->graph && (!fields_find(fields, "graph") || fields_is(fields, "graph", reader->whole));
}

static int belong(struct graph_reader *reader, const struct fields *fields)
{
	const struct field *field = fields_find(fields, "graph");
	char *id;
	int status;

	if (reader->graph && (!field || fields_is(fields, "graph", reader->graph->id)))
		return 0;
	id = field ? fields_copy(fields, "graph") : memory_text("1", 1);
	status = begin_unannounced(reader, id);
	free(id);
	return status;
}

static int add(struct graph_reader *reader, const struct fields *fields, enum kind kind)
{
	int status;

	if (belong(reader, fields) < 0)
		return -1;
	graph_read_place(reader->graph, stream_place(reader->stream));
	status = kind == KIND_NODE ? graph_read_node(reader->graph, fields) : graph_read_edge(reader->graph, fields);
	return status < 0 ? stream_fail(reader->stream, "%s", fail_text()) : 0;
}

int graph_reader_record(struct graph_reader *reader, const struct record *record)
{
	const struct fields *fields;

	if (record->kind != KIND_GRAPH && record->kind != KIND_NODE && record->kind != KIND_EDGE)
		return finish_graph(reader);
	fields = stream_fields(reader->stream, record);
	if (!fields)
		return -1;
	if (record->kind == KIND_GRAPH && fields_is(fields, "kind", "event"))
		return pass_whole(reader, fields);
	if (record->kind != KIND_GRAPH && is_of_whole(reader, fields))
		return 0;
	return record->kind == KIND_GRAPH ? begin_graph(reader, fields) : add(reader, fields, record->kind);
}
