#include "span/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* A span that becomes a node. */
struct step {
	int32_t span, parent; /* parent: index of the parent's node; NODE_NONE: the span is the root */
	int64_t start, end;
	int64_t wait_start, wait_end; /* TIME_NONE: the parent did not wait for it */
	bool async;
};

struct tree {
	const struct kept_span *spans;
	struct graph *graph;
	ARRAY(struct step) todo; /* a stack: trees may be deep */
	ARRAY(struct step) children; /* of the current span */
	bool messages; /* the graph is one of messages; else it has none */
	const struct activity_source *sources; /* NULL: none */
	struct thread_activities activities, told[ACTIVITY_SOURCES + 1]; /* of all sources, and of each */
	struct spans_counts *counts;
};

enum { ACTIVITIES_MOST = 64 }; /* below a node; more would make graphs of millions of nodes, few of which matter */

/* --- the name of an operation ------------------------------------------------------------------------------------------- */

/* A word with digits is an id if it has at least HEX_ID hexadecimal digits and nothing else, or at least ID letters and ID_DIGITS digits. */
enum { HEX_ID = 8, ID = 16, ID_DIGITS = 3 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The length of a UUID such as "123e4567-e89b-12d3-a456-426614174000"; 0: there is none. */
static size_t uuid_length(const char *text)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != '-')
			return 0;
	return is_word(text[sizeof(shape) - 1]) ? 0 : sizeof(shape) - 1;
}

static bool is_id(const char *word, size_t length)
{
	size_t digits = 0, hexadecimal = 0;

	for (size_t i = 0; i < length; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		hexadecimal += isxdigit((unsigned char)word[i]) != 0;
	}
	return digits == length || (digits && hexadecimal == length && length >= HEX_ID) || (digits >= ID_DIGITS && length >= ID);
}

/* The length of a number; "1.5" and "10.0.0.1" are one number each; 0: there is none. */
static size_t number_length(const char *text)
{
	size_t length = strspn(text, "0123456789.");

	while (length && text[length - 1] == '.')
		length--;
	return isdigit((unsigned char)*text) && !is_word(text[length]) ? length : 0;
}

/* The operation's name with '*' for numbers and ids in it; the caller frees it. */
static char *operation_name(const char *operation)
{
	char *name = memory_new(strlen(operation) + 1, 1), *to = name;

	while (*operation) {
		size_t word = 0, number = number_length(operation), uuid = uuid_length(operation);
		bool id;

		while (is_word(operation[word]))
			word++;
		id = number || uuid || (word && is_id(operation, word));
		word = uuid ? uuid : number ? number : word ? word : 1;
		if (id)
			*to++ = '*';
		else
			to = mempcpy(to, operation, word);
		operation += word;
	}
	*to = '\0';
	return name;
}

/* --- nodes -------------------------------------------------------------------------------------------------------------- */

static char *name_of(const struct kept_span *span)
{
	char *operation = span->name ? operation_name(span->name) : NULL, *name;

	if (span->service && operation)
		name = memory_format("%s: %s", span->service, operation);
	else if (span->service && span->kind == SPAN_CLIENT && span->peer)
		name = memory_format("%s: calling %s", span->service, span->peer);
	else
		name = memory_format("%s", operation ? operation : span->service ? span->service : "span");
	free(operation);
	return name;
}

static int32_t add_node(struct tree *tree, const struct step *step, const char *name, char *label)
{
	int32_t index = graph_named_node(tree->graph, (int64_t)tree->graph->nodes.count + 1, name);
	struct node *node = &tree->graph->nodes.items[index];

	node->label = graph_keep(tree->graph, label);
	node->start = step->start;
	node->end = step->end;
	node->parent = step->parent;
	node->call = step->async ? CALL_ASYNC : CALL_SYNC;
	node->wait_start = step->wait_start;
	node->wait_end = step->wait_end;
	return index;
}

static int32_t add_span(struct tree *tree, const struct step *step)
{
	const struct kept_span *span = &tree->spans[step->span];
	char *name = name_of(span);
	bool root = tree->messages && step->parent == NODE_NONE, peer = span->peer && span->name && !tree->messages;
	char *label = memory_format("%s%s%s%s, span %s", root ? "messages of " : "", name, peer ? " to " : "", peer ? span->peer : "", span->id);
	int32_t index = add_node(tree, step, name, label);

	free(name);
	return index;
}

/* Tells whether a child is asynchronous: it follows from its parent, or is a consumer, for which its producer does not wait. */
static bool is_async(const struct kept_span *parent, const struct kept_span *child)
{
	return child->follows || (parent->kind == SPAN_PRODUCER && child->kind == SPAN_CONSUMER);
}

static bool apart(const struct step *parent, const struct kept_span *child)
{
	return child->end < parent->start || child->start > parent->end ||
	       (child->end > child->start && (child->end == parent->start || child->start == parent->end));
}

/* The next span in the tree below `root`, behind all those below this one; SPAN_NONE: there is none. */
static int32_t next_beside(const struct kept_span *spans, int32_t at, int32_t root)
{
	while (at != root && spans[at].next == SPAN_NONE)
		at = spans[at].parent;
	return at == root ? SPAN_NONE : spans[at].next;
}

static int32_t next_below(const struct kept_span *spans, int32_t at, int32_t root)
{
	return spans[at].child != SPAN_NONE ? spans[at].child : next_beside(spans, at, root);
}

/* When the message, and all messages that it caused, had ended. */
static int64_t message_end(const struct kept_span *spans, int32_t message)
{
	int64_t end = spans[message].end;

	for (int32_t at = spans[message].child; at != SPAN_NONE;) {
		end = spans[at].message ? later(end, spans[at].end) : end;
		at = spans[at].message ? next_below(spans, at, message) : next_beside(spans, at, message);
	}
	return end;
}

/* Makes the child's step, clipped to the parent's time, without its wait. False: the child is outside the root's time. */
static bool clip(const struct tree *tree, const struct step *parent, int32_t child, struct step *step)
{
	const struct kept_span *span = &tree->spans[child];
	bool outside = apart(parent, span);
	int64_t from = parent->start, to = parent->end;

	*step = (struct step){.span = child, .wait_start = TIME_NONE, .wait_end = TIME_NONE};
	if (span->message) {
		step->start = later(span->left, from);
		step->end = sooner(message_end(tree->spans, child), to);
		return step->start < step->end;
	}
	step->async = outside || is_async(&tree->spans[parent->span], span);
	if (step->async) {
		from = tree->graph->from;
		to = tree->graph->to;
	}
	tree->counts->outside += outside && !is_async(&tree->spans[parent->span], span);
	step->start = later(span->behind ? span->taken : span->start, from);
	step->end = sooner(span->end, to);
	return !step->async || (span->start < to && span->end >= from);
}

/* By end, the last first; of those that end together, the longest first. */
static int last_first(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->end != b->end)
		return a->end < b->end ? 1 : -1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->span > b->span) - (a->span < b->span);
}

static void find_waits(struct tree *tree, int64_t end)
{
	for (size_t i = 0; i < tree->children.count; i++) {
		struct step *child = &tree->children.items[i];

		if (child->async || child->end > end)
			continue;
		child->wait_start = child->start;
		child->wait_end = child->end;
		end = child->start;
	}
}

static uint64_t count_below(const struct kept_span *spans, int32_t root)
{
	uint64_t count = 0;

	for (int32_t at = root; at != SPAN_NONE; at = next_below(spans, at, root))
		count++;
	return count;
}

static void find_children(struct tree *tree, const struct step *parent)
{
	tree->children.count = 0;
	for (int32_t child = tree->spans[parent->span].child; child != SPAN_NONE; child = tree->spans[child].next) {
		struct step step;

		if (tree->spans[child].message != tree->messages)
			continue;
		if (clip(tree, parent, child, &step))
			*ARRAY_ADD(&tree->children) = step;
		else
			tree->counts->late += tree->messages ? 0 : count_below(tree->spans, child);
	}
	if (tree->children.count)
		qsort(tree->children.items, tree->children.count, sizeof(*tree->children.items), last_first);
	find_waits(tree, parent->end);
}

/* The last server that the client waited for; NULL: the span is no client's, or has no server's child. */
static const struct kept_span *find_server(const struct tree *tree, const struct kept_span *client)
{
	for (size_t i = 0; client->kind == SPAN_CLIENT && i < tree->children.count; i++) {
		const struct kept_span *server = &tree->spans[tree->children.items[i].span];

		if (!tree->children.items[i].async && server->kind == SPAN_SERVER)
			return server;
	}
	return NULL;
}

/* Words for the label if the network's time may be only the clocks' error; else "". The caller frees the text. */
static char *doubt_of(const struct kept_span *client, const struct kept_span *server)
{
	int64_t time = (client->end - client->start) - (server->end - server->start), width;
	char room[NUMBER_ROOM];

	if (client->host == server->host || (client->width == 0 && server->width == 0))
		return memory_format("%s", "");
	if (client->width == SPAN_WIDTH_UNKNOWN || server->width == SPAN_WIDTH_UNKNOWN)
		return memory_format("%s", ", by clocks whose difference is not known");
	width = client->width + server->width;
	if (time > width)
		return memory_format("%s", "");
	number_human_duration(room, width);
	return memory_format(", no longer than the clocks may be apart, %s", room);
}

static int32_t add_network(struct tree *tree, const struct step *client, int32_t parent, const struct kept_span *server)
{
	struct step step = *client;
	const char *from = tree->spans[client->span].service, *to = server->service;
	char *name = memory_format("network: %s to %s", from ? from : "?", to ? to : "?");
	char *doubt = doubt_of(&tree->spans[client->span], server);
	char *label = memory_format("%s, between span %s and span %s%s", name, tree->spans[client->span].id, server->id, doubt);
	int32_t index;

	step.parent = parent;
	step.async = false;
	step.wait_start = step.start;
	step.wait_end = step.end;
	index = add_node(tree, &step, name, label);
	free(doubt);
	free(name);
	return index;
}

static int longest_first(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a < b) - (a > b);
}

/* How long an activity must last to be among the ACTIVITIES_MOST longest, and how many of exactly this length are among them. */
static int64_t least_shown(const struct thread_activities *activities, size_t *equal)
{
	int64_t *lengths, least;

	*equal = SIZE_MAX;
	if (activities->items.count <= ACTIVITIES_MOST)
		return 0;
	lengths = memory_new(activities->items.count, sizeof(*lengths));
	for (size_t i = 0; i < activities->items.count; i++)
		lengths[i] = activities->items.items[i].to - activities->items.items[i].from;
	qsort(lengths, activities->items.count, sizeof(*lengths), longest_first);
	least = lengths[ACTIVITIES_MOST - 1];
	*equal = 1;
	while (*equal < ACTIVITIES_MOST && lengths[ACTIVITIES_MOST - 1 - *equal] == least)
		++*equal;
	free(lengths);
	return least;
}

/* Adds a node of a wake graph to the request's graph, with its deed and its threads. */
static void add_wake_node(struct tree *tree, const struct step *step, const struct node *node)
{
	int32_t index = graph_node(tree->graph, (int64_t)tree->graph->nodes.count + 1, node->deed);
	struct node *added = &tree->graph->nodes.items[index];

	if (node->detail)
		graph_detail(tree->graph, index, node->detail);
	added->start = added->wait_start = step->start;
	added->end = added->wait_end = step->end;
	added->parent = step->parent;
	added->call = CALL_SYNC;
	added->tid = node->tid;
	added->who_tid = node->who_tid;
	added->whom_tid = node->whom_tid;
}

static void add_activity(struct tree *tree, const struct kept_span *span, const struct thread_activity *activity, int32_t parent)
{
	struct step step = {.parent = parent, .start = activity->from, .end = activity->to, .wait_start = activity->from, .wait_end = activity->to};
	const char *service = span->service ? span->service : "?";
	char *name, *ranked;

	if (activity->node) {
		add_wake_node(tree, &step, activity->node);
		return;
	}
	name = operation_name(activity->name);
	ranked = memory_format("%s: %s", service, name);
	add_node(tree, &step, ranked, memory_format("%s: %s, in the time of span %s", service, activity->name, span->id));
	free(ranked);
	free(name);
}

/* Gathers what the span's thread did in [from, to), from the source with this number on; each source fills the times that those before it leave. */
static void gather(struct tree *tree, const struct kept_span *span, int64_t from, int64_t to, int source)
{
	struct thread_activities *told = &tree->told[source];
	int64_t at = from;

	if (source == ACTIVITY_SOURCES || from >= to)
		return;
	told->items.count = 0;
	if (tree->sources[source].tell)
		tree->sources[source].tell(tree->sources[source].context, span->host_number, span->tid, from, to, told);
	for (size_t i = 0; i < told->items.count; i++) {
		const struct thread_activity activity = told->items.items[i];

		gather(tree, span, at, activity.from, source + 1);
		*ARRAY_ADD(&tree->activities.items) = activity;
		at = later(at, activity.to);
	}
	gather(tree, span, at, to, source + 1);
}

static void add_doings(struct tree *tree, const struct kept_span *span, int64_t from, int64_t to, int32_t parent)
{
	int64_t least;
	size_t equal;

	tree->activities.items.count = 0;
	if (tree->sources)
		gather(tree, span, from, to, 0);
	least = least_shown(&tree->activities, &equal);
	for (size_t i = 0; i < tree->activities.items.count; i++) {
		const struct thread_activity *activity = &tree->activities.items.items[i];
		int64_t length = activity->to - activity->from;

		if (length < least || (length == least && equal == 0))
			continue;
		equal -= length == least;
		add_activity(tree, span, activity, parent);
	}
}

/* Adds what the server's thread did between the calls that it waited for. */
static void add_own(struct tree *tree, const struct step *step, int32_t node)
{
	const struct kept_span *span = &tree->spans[step->span];
	int64_t at = later(step->start, span->taken), until;

	if (span->kind != SPAN_SERVER || !span->found || span->own_until == TIME_NONE)
		return;
	until = sooner(step->end, span->own_until);
	for (size_t i = tree->children.count; i-- > 0;) {
		const struct step *child = &tree->children.items[i];

		if (child->wait_start == TIME_NONE)
			continue;
		add_doings(tree, span, at, sooner(child->wait_start, until), node);
		at = later(at, child->wait_end);
	}
	add_doings(tree, span, at, until, node);
}

static void add_queue(struct tree *tree, const struct step *step, int32_t parent)
{
	const struct kept_span *span = &tree->spans[step->span];
	struct step queue = *step;
	char *name;

	queue.end = sooner(step->end, later(step->start, span->taken));
	if (!span->found || queue.end == queue.start)
		return;
	queue.parent = parent;
	queue.async = false;
	queue.wait_start = queue.start;
	queue.wait_end = queue.end;
	name = memory_format("queue: %s", span->service ? span->service : "?");
	parent = add_node(tree, &queue, name, memory_format("%s, before span %s was read", name, span->id));
	free(name);
	if (span->queue_own)
		add_doings(tree, span, queue.start, queue.end, parent);
}

/* Adds a part of a message's way, from `at` to `until`, unless it took no time. Returns where the part ends. Frees the name. */
static int64_t add_part(struct tree *tree, const struct step *way, int32_t parent, int64_t at, int64_t until, char *name, const char *what)
{
	struct step step = {.span = way->span, .parent = parent, .start = at, .end = sooner(until, way->end), .wait_start = at};

	step.wait_end = step.end;
	if (step.end > at)
		add_node(tree, &step, name, memory_format("%s, %s span %s", name, what, tree->spans[way->span].id));
	free(name);
	return later(at, step.end);
}

/* Adds a message, which waits until it is sent, travels, waits until it is read, and is then passed on. The rest of its time is the network's. */
static void take_message(struct tree *tree, const struct step *step)
{
	const struct kept_span *span = &tree->spans[step->span], *parent = &tree->spans[span->parent];
	const char *from = parent->service ? parent->service : "?", *to = span->service ? span->service : "?", *place = span->at ? span->at : "?";
	char *name = memory_format("network: %s to %s at %s", from, to, place), *doubt = doubt_of(parent, span);
	int32_t way = add_node(tree, step, name, memory_format("%s, before span %s%s", name, span->id, doubt));
	struct step taken = {.span = step->span, .parent = way, .end = step->end, .wait_end = step->end};
	int64_t at = step->start;

	free(doubt);
	free(name);
	at = add_part(tree, step, way, at, span->sent, memory_format("send queue: %s to %s", from, place), "before it sent");
	at = later(at, sooner(span->start, step->end));
	at = add_part(tree, step, way, at, span->taken, memory_format("queue: %s", to), "before it read");
	if (at >= step->end)
		return;
	taken.start = taken.wait_start = at;
	way = add_span(tree, &taken);
	find_children(tree, &taken);
	if (span->own_until != TIME_NONE)
		add_doings(tree, span, at, sooner(span->own_until, step->end), way);
	for (size_t i = tree->children.count; i-- > 0;) {
		tree->children.items[i].parent = way;
		*ARRAY_ADD(&tree->todo) = tree->children.items[i];
	}
}

static void take(struct tree *tree, const struct step *step)
{
	int32_t node = add_span(tree, step);
	const struct kept_span *server;

	add_queue(tree, step, node);
	find_children(tree, step);
	add_own(tree, step, node);
	server = find_server(tree, &tree->spans[step->span]);
	if (server)
		node = add_network(tree, step, node, server);
	for (size_t i = tree->children.count; i-- > 0;) {
		tree->children.items[i].parent = node;
		*ARRAY_ADD(&tree->todo) = tree->children.items[i];
	}
}

static struct graph *make(struct tree *tree, int32_t root, const char *id, int64_t from, int64_t to)
{
	tree->graph = graph_new(GRAPH_RAG, id);
	tree->graph->from = from;
	tree->graph->to = to;
	*ARRAY_ADD(&tree->todo) = (struct step){root, NODE_NONE, from, to, TIME_NONE, TIME_NONE, false};
	while (tree->todo.count) {
		struct step step = tree->todo.items[--tree->todo.count];

		if (tree->spans[step.span].message && step.parent != NODE_NONE)
			take_message(tree, &step);
		else
			take(tree, &step);
	}
	tree->graph->root = 0;
	free(tree->todo.items);
	free(tree->children.items);
	for (int i = 0; i < ACTIVITY_SOURCES; i++)
		free(tree->told[i].items.items);
	free(tree->activities.items.items);
	return tree->graph;
}

struct graph *tree_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
			 struct spans_counts *counts)
{
	struct tree tree = {.spans = spans, .counts = counts, .sources = sources};

	if (spans[root].start == spans[root].end) {
		counts->late += count_below(spans, root) - 1;
		return NULL;
	}
	return make(&tree, root, id, spans[root].start, spans[root].end);
}

struct graph *tree_messages_graph(const struct kept_span *spans, int32_t root, const char *id, const struct activity_source *sources,
				  struct spans_counts *counts)
{
	struct tree tree = {.spans = spans, .counts = counts, .sources = sources, .messages = true};
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (int32_t child = spans[root].child; child != SPAN_NONE; child = spans[child].next)
		if (spans[child].message) {
			from = sooner(from, spans[child].left);
			to = later(to, message_end(spans, child));
		}
	return from < to ? make(&tree, root, id, from, to) : NULL;
}
