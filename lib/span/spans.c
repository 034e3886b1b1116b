#include "span/spans.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "graph/graph_record.h"
#include "span/tree.h"

enum { TEXT_MOST = 255 };

struct text { /* interned */
	char *text;
	UT_hash_handle hh;
};

struct place {
	const char *key;
	int32_t span;
	UT_hash_handle hh;
};

struct spans {
	ARRAY(struct kept_span) spans;
	struct place *places;
	struct text *texts;
	struct text *named; /* traces whose name a graph has as its id */
	const struct activity_source *sources; /* NULL: none */
	struct spans_counts counts;
};

static const char *const kinds[SPAN_KINDS] = {NULL, "internal", "server", "client", "producer", "consumer"};

enum span_kind span_kind_of(const char *name)
{
	for (int kind = SPAN_INTERNAL; kind < SPAN_KINDS; kind++)
		if (!strcmp(kinds[kind], name))
			return (enum span_kind)kind;
	return SPAN_UNKNOWN;
}

struct spans *spans_new(void)
{
	return NEW(struct spans);
}

static void free_texts(struct text *texts)
{
	struct text *text, *next;

	HASH_ITER(hh, texts, text, next) {
		HASH_DEL(texts, text);
		free(text->text);
		free(text);
	}
}

void spans_free(struct spans *spans)
{
	free_texts(spans->texts);
	free_texts(spans->named);
	HASH_FREE(spans->places);
	for (size_t i = 0; i < spans->spans.count; i++) {
		free(spans->spans.items[i].key);
		free(spans->spans.items[i].parent_id);
	}
	free(spans->spans.items);
	free(spans);
}

const struct spans_counts *spans_counts(const struct spans *spans)
{
	return &spans->counts;
}

void spans_activity_sources(struct spans *spans, const struct activity_source *sources)
{
	spans->sources = sources;
}

/* --- keeping ------------------------------------------------------------------------------------------------------ */

static const char *add_text(struct text **texts, const char *text, size_t length)
{
	struct text *added = NEW(struct text);

	added->text = memory_text(text, length);
	HASH_ADD_KEYPTR(hh, *texts, added->text, length, added);
	return added->text;
}

static const char *intern(struct spans *spans, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	struct text *found;

	if (length == 0)
		return NULL;
	if (length > TEXT_MOST)
		length = utf8_cut(text, TEXT_MOST);
	HASH_FIND(hh, spans->texts, text, length, found);
	return found ? found->text : add_text(&spans->texts, text, length);
}

static int32_t find_key(const struct spans *spans, const char *key, size_t length)
{
	struct place *place;

	HASH_FIND(hh, spans->places, key, length, place);
	return place ? place->span : SPAN_NONE;
}

/* Makes the key "TRACE", NUL, "ID". */
static char *make_key(const char *trace, const char *id, size_t *length)
{
	size_t first = strlen(trace) + 1, second = strlen(id);
	char *key = memory_new(first + second + 1, 1);

	memcpy(key, trace, first);
	memcpy(key + first, id, second);
	*length = first + second;
	return key;
}

static bool same(const struct kept_span *a, const struct kept_span *b)
{
	return a->start == b->start && a->end == b->end && a->name == b->name && a->service == b->service && a->kind == b->kind;
}

static bool are_twins(const struct kept_span *a, const struct kept_span *b)
{
	return a->twin == SPAN_NONE &&
	       ((a->kind == SPAN_CLIENT && b->kind == SPAN_SERVER) || (a->kind == SPAN_SERVER && b->kind == SPAN_CLIENT));
}

/* Tells whether a span with a known id is new: the other side of the call. Otherwise it is the same span again, or an error, and is counted. */
static bool is_new(struct spans *spans, int32_t index, const struct kept_span *span)
{
	const struct kept_span *first = &spans->spans.items[index], *second = first->twin == SPAN_NONE ? NULL : &spans->spans.items[first->twin];

	if (same(first, span) || (second && same(second, span)))
		spans->counts.twice++;
	else if (are_twins(first, span))
		return true;
	else
		spans->counts.clashing++;
	return false;
}

/* Of two spans that share an id, the hash has the client's, and the client's has the server's as its twin. */
static void add_twin(struct spans *spans, int32_t first, int32_t second)
{
	struct kept_span *all = spans->spans.items;
	struct place *place;

	if (all[first].kind == SPAN_CLIENT) {
		all[first].twin = second;
		return;
	}
	all[second].twin = first;
	HASH_FIND(hh, spans->places, all[first].key, all[first].key_length, place);
	place->span = second;
}

static void add_place(struct spans *spans, int32_t index)
{
	const struct kept_span *span = &spans->spans.items[index];
	struct place *place = NEW(struct place);

	place->key = span->key;
	place->span = index;
	HASH_ADD_KEYPTR(hh, spans->places, place->key, span->key_length, place);
}

void spans_add(struct spans *spans, const struct span_told *told)
{
	struct kept_span span = {.start = told->start, .end = told->end, .pid = told->pid, .kind = told->kind, .follows = told->follows,
				 .found = told->found, .sure = told->sure, .tid = told->tid, .candidates = told->candidates,
				 .bytes_in = told->bytes_in, .bytes_out = told->bytes_out, .behind = told->behind,
				 .taken = told->taken, .width = told->width, .host_number = told->host_number,
				 .message = told->message, .left = told->left, .sent = told->sent, .queue_own = told->queue_own, .own_until = told->found ? told->own_until : TIME_NONE};
	int32_t first;

	span.key = make_key(told->trace ? told->trace : "", told->id, &span.key_length);
	span.id = span.key + strlen(span.key) + 1;
	span.name = intern(spans, told->name);
	span.service = intern(spans, told->service);
	span.host = intern(spans, told->host);
	span.peer = intern(spans, told->peer);
	span.at = intern(spans, told->at);
	span.error = intern(spans, told->error);
	span.parent = span.child = span.next = span.twin = SPAN_NONE;
	first = find_key(spans, span.key, span.key_length);
	if (spans->counts.all == INT32_MAX || (first != SPAN_NONE && !is_new(spans, first, &span))) {
		free(span.key);
		return;
	}
	span.parent_id = told->parent ? memory_text(told->parent, strlen(told->parent)) : NULL;
	*ARRAY_ADD(&spans->spans) = span;
	if (first == SPAN_NONE)
		add_place(spans, (int32_t)spans->counts.all);
	else
		add_twin(spans, first, (int32_t)spans->counts.all);
	spans->counts.all++;
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

/* Of two spans that share the parent's id, the parent is the one of the child's own service, or else the server's. */
static int32_t choose_parent(const struct spans *spans, int32_t parent, const struct kept_span *child)
{
	const struct kept_span *client = &spans->spans.items[parent];
	const struct kept_span *server = client->twin == SPAN_NONE ? NULL : &spans->spans.items[client->twin];

	if (!server || (child->service && child->service == client->service && child->service != server->service))
		return parent;
	return client->twin;
}

static int32_t find_parent(const struct spans *spans, const struct kept_span *span)
{
	int32_t parent;
	size_t length;
	char *key;

	if (!span->parent_id)
		return SPAN_NONE;
	key = make_key(span->key, span->parent_id, &length);
	parent = find_key(spans, key, length);
	free(key);
	return parent == SPAN_NONE ? SPAN_NONE : choose_parent(spans, parent, span);
}

static void link_all(struct spans *spans)
{
	struct kept_span *all = spans->spans.items;
	int32_t count = (int32_t)spans->spans.count;

	for (int32_t i = 0; i < count; i++) {
		all[i].parent = find_parent(spans, &all[i]);
		all[i].orphan = all[i].parent_id && all[i].parent == SPAN_NONE;
	}
	for (int32_t i = 0; i < count; i++)
		if (all[i].twin != SPAN_NONE) {
			all[all[i].twin].parent = i;
			all[all[i].twin].orphan = false;
		}
	for (int32_t i = count; i-- > 0;)
		if (all[i].parent != SPAN_NONE) {
			all[i].next = all[all[i].parent].child;
			all[all[i].parent].child = i;
		}
	for (int32_t i = 0; i < count; i++)
		spans->counts.orphans += all[i].orphan;
}

static int by_start(const void *left, const void *right, void *context)
{
	const struct kept_span *spans = context, *a = &spans[*(const int32_t *)left], *b = &spans[*(const int32_t *)right];
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = strcmp(a->key, b->key); /* the trace */
	return order ? order : strcmp(a->id, b->id);
}

struct order {
	ARRAY(int32_t) spans;
};

static void sort(struct order *order, struct kept_span *spans)
{
	if (order->spans.count)
		qsort_r(order->spans.items, order->spans.count, sizeof(int32_t), by_start, spans);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void text_of(struct line *line, const char *key, const char *text)
{
	if (text)
		line_text(line, key, text);
}

/* The id of a span's parent. If a server shares its client's id, the kinds distinguish the two. */
static const char *parent_of(const struct spans *spans, const struct kept_span *span)
{
	return span->parent == SPAN_NONE ? span->parent_id : spans->spans.items[span->parent].id;
}

/* Writes how far the host's clock may be wrong, if the span took no longer than that, or if it is unknown. */
static void write_width(const struct kept_span *span, struct line *line)
{
	if (span->width == SPAN_WIDTH_UNKNOWN)
		line_text(line, "width", "unknown");
	else if (span->width > 0 && span->end - span->start <= span->width)
		line_time(line, "width", span->width);
}

static int write_span(const struct spans *spans, const struct kept_span *span, struct stream *stream, struct line *line)
{
	line_begin(line, "span");
	line_text(line, "id", span->id);
	text_of(line, "parent", parent_of(spans, span));
	text_of(line, "trace", *span->key ? span->key : NULL);
	line_time(line, "ts", span->end);
	line_time(line, "start", span->start);
	text_of(line, "host", span->host);
	if (span->pid)
		line_integer(line, "pid", span->pid);
	if (span->tid)
		line_integer(line, "tid", span->tid);
	text_of(line, "service", span->service);
	text_of(line, "kind", kinds[span->kind]);
	text_of(line, "peer", span->peer);
	if (span->found && span->bytes_in != SPAN_BYTES_UNKNOWN)
		line_unsigned(line, "bytes_in", span->bytes_in);
	if (span->found && span->bytes_out != SPAN_BYTES_UNKNOWN)
		line_unsigned(line, "bytes_out", span->bytes_out);
	if (span->found)
		line_text(line, "sure", span->sure ? "yes" : "no");
	if (span->found && !span->sure)
		line_unsigned(line, "candidates", span->candidates);
	write_width(span, line);
	if (span->follows)
		line_text(line, "follows", "yes");
	text_of(line, "error", span->error);
	text_of(line, "name", span->name);
	return stream_write_line(stream, line);
}

static int write_spans(struct spans *spans, struct order *order, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	sort(order, spans->spans.items);
	for (size_t i = 0; i < order->spans.count && status == 0; i++)
		status = write_span(spans, &spans->spans.items[order->spans.items[i]], stream, &line);
	line_free(&line);
	return status;
}

/* The id of a tree's graph: "TRACE" for the trace's first tree, "TRACE/SPAN" for others; "SPAN" if there are no traces. */
static char *graph_id(struct spans *spans, const struct kept_span *root)
{
	size_t length = strlen(root->key);
	struct text *found;

	if (length == 0)
		return memory_format("%s", root->id);
	HASH_FIND(hh, spans->named, root->key, length, found);
	if (found)
		return memory_format("%s/%s", root->key, root->id);
	return memory_format("%s", add_text(&spans->named, root->key, length));
}

static int write_graph(struct spans *spans, int32_t root, struct stream *stream)
{
	char *id = graph_id(spans, &spans->spans.items[root]);
	struct graph *graph = tree_graph(spans->spans.items, root, id, spans->sources, &spans->counts);
	int status = graph ? graph_write(graph, stream) : 0;

	if (graph)
		graph_free(graph);
	free(id);
	return status;
}

/* Tells whether a graph of messages begins at this span: it left messages, and is no message that another span left. */
static bool sends_messages(const struct kept_span *spans, int32_t index)
{
	int32_t child = spans[index].child;

	if (spans[index].message && spans[index].parent != SPAN_NONE)
		return false;
	while (child != SPAN_NONE && !spans[child].message)
		child = spans[child].next;
	return child != SPAN_NONE;
}

static int write_messages(struct spans *spans, const struct order *order, struct stream *stream)
{
	int status = 0;

	for (size_t i = 0; i < order->spans.count && status == 0; i++) {
		int32_t index = order->spans.items[i];
		char *id = sends_messages(spans->spans.items, index) ? memory_format("%s/messages", spans->spans.items[index].id) : NULL;
		struct graph *graph = id ? tree_messages_graph(spans->spans.items, index, id, spans->sources, &spans->counts) : NULL;

		status = graph ? graph_write(graph, stream) : 0;
		if (graph)
			graph_free(graph);
		free(id);
	}
	return status;
}

/* Gathers the spans of a tree in `order`, and marks them as seen. */
static void gather(const struct kept_span *spans, int32_t root, struct order *order, uint8_t *seen)
{
	order->spans.count = 0;
	*ARRAY_ADD(&order->spans) = root;
	for (size_t i = 0; i < order->spans.count; i++) {
		int32_t at = order->spans.items[i];

		seen[at] = 1;
		for (int32_t child = spans[at].child; child != SPAN_NONE; child = spans[child].next)
			*ARRAY_ADD(&order->spans) = child;
	}
}

static int write_trees(struct spans *spans, const struct order *roots, uint8_t *seen, struct stream *stream)
{
	struct order order = {0};
	int status = 0;

	for (size_t i = 0; i < roots->spans.count && status == 0 && !stream_output_closed(stream); i++) {
		gather(spans->spans.items, roots->spans.items[i], &order, seen);
		status = write_spans(spans, &order, stream);
		if (status == 0)
			status = write_graph(spans, roots->spans.items[i], stream);
		if (status == 0)
			status = write_messages(spans, &order, stream);
		spans->counts.trees++;
	}
	free(order.spans.items);
	return status;
}

static int write_circular(struct spans *spans, const uint8_t *seen, struct stream *stream)
{
	struct order order = {0};
	int status;

	for (size_t i = 0; i < spans->spans.count; i++)
		if (!seen[i])
			*ARRAY_ADD(&order.spans) = (int32_t)i;
	spans->counts.circular = order.spans.count;
	status = write_spans(spans, &order, stream);
	free(order.spans.items);
	return status;
}

int spans_write(struct spans *spans, struct stream *stream)
{
	uint8_t *seen = memory_new(spans->spans.count + 1, 1);
	struct order roots = {0};
	int status;

	link_all(spans);
	for (size_t i = 0; i < spans->spans.count; i++)
		if (spans->spans.items[i].parent == SPAN_NONE)
			*ARRAY_ADD(&roots.spans) = (int32_t)i;
	sort(&roots, spans->spans.items);
	status = write_trees(spans, &roots, seen, stream);
	if (status == 0 && !stream_output_closed(stream))
		status = write_circular(spans, seen, stream);
	free(roots.spans.items);
	free(seen);
	return status;
}
