#include "export/frames.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "report/fit.h"
#include "report/moment.h"

struct node_frames {
	int64_t id;
	struct {
		int64_t end, tid;
	} wait; /* where it is one */
	bool waits;
	char *text; /* NULL: not known */
	UT_hash_handle hh, by_wait;
};

struct path_frames {
	char *graph;
	ARRAY(struct piece_frames) pieces;
};

struct frames {
	struct stream *stream;
	struct node_frames *nodes; /* by id, of the graph at hand */
	struct node_frames *waits; /* those of them that tell where a wait was */
	ARRAY(struct path_frames) paths;
	int64_t last_end; /* of the piece before */
};

/* "get;handle;main" becomes "main;handle;get". The caller frees it. */
static char *turn_around(const char *stack)
{
	size_t length = strlen(stack);
	char *text = memory_new(length + 1, 1), *at = text + length;

	while (length > 0) {
		size_t function = strcspn(stack, ";");

		at -= function;
		memcpy(at, stack, function);
		if (!stack[function])
			break;
		*--at = ';';
		stack += function + 1;
	}
	return text;
}

static void forget_nodes(struct frames *frames)
{
	struct node_frames *node, *next;

	HASH_CLEAR(by_wait, frames->waits);
	HASH_ITER(hh, frames->nodes, node, next)
	{
		HASH_DEL(frames->nodes, node);
		free(node->text);
		free(node);
	}
}

static int graph_seen(void *context, const struct record *record)
{
	(void)record;
	forget_nodes(context);
	return 0;
}

/* What is malformed is the graph reader's to tell. */
static int node_seen(void *context, const struct record *record)
{
	struct frames *frames = context;
	const struct fields *fields = stream_fields(frames->stream, record);
	struct node_frames *node, *known;
	int64_t id = 0, end = 0, tid = 0;
	char *stack;

	if (!fields)
		return -1;
	if (fields_integer(fields, "id", &id) != 1 || fields_time(fields, "end", &end) != 1 ||
	    fields_integer(fields, "tid", &tid) != 1)
		return 0;
	HASH_FIND(hh, frames->nodes, &id, sizeof(id), known);
	if (known)
		return 0;
	stack = fit_field(fields, "stack");
	node = NEW(struct node_frames);
	node->id = id;
	node->wait.end = end;
	node->wait.tid = tid;
	node->waits = fields_is(fields, "what", "wait");
	node->text = *stack ? turn_around(stack) : NULL;
	free(stack);
	HASH_ADD(hh, frames->nodes, id, sizeof(id), node);
	if (node->waits && node->text)
		HASH_ADD(by_wait, frames->waits, wait, sizeof(node->wait), node);
	return 0;
}

static struct path_frames *path_of(struct frames *frames, const struct fields *fields)
{
	char *graph = fields_copy(fields, "graph");
	struct path_frames *path = frames->paths.count > 0 ? &frames->paths.items[frames->paths.count - 1] : NULL;

	graph = graph ? graph : memory_text("", 0);
	if (path && !strcmp(path->graph, graph)) {
		free(graph);
		return path;
	}
	path = ARRAY_ADD(&frames->paths);
	*path = (struct path_frames){.graph = graph};
	return path;
}

/* The functions of the wait of this thread that ended then. */
static const char *wait_ended(const struct frames *frames, int64_t tid, int64_t end)
{
	struct node_frames key = {.wait = {.end = end, .tid = tid}}, *node;

	HASH_FIND(by_wait, frames->waits, &key.wait, sizeof(key.wait), node);
	return node ? node->text : NULL;
}

static char *copy(const char *text)
{
	return text ? memory_text(text, strlen(text)) : NULL;
}

static int path_seen(void *context, const struct record *record)
{
	struct frames *frames = context;
	const struct fields *fields = stream_fields(frames->stream, record);
	struct node_frames *node = NULL;
	struct piece_frames *piece;
	struct path_frames *path;
	int64_t id = 0, to = 0;

	if (!fields)
		return -1;
	path = path_of(frames, fields);
	if (fields_integer(fields, "node", &id) == 1)
		HASH_FIND(hh, frames->nodes, &id, sizeof(id), node);
	if (path->pieces.count > 0 && node && !node->waits)
		path->pieces.items[path->pieces.count - 1].ended =
		    copy(wait_ended(frames, node->wait.tid, frames->last_end));
	piece = ARRAY_ADD(&path->pieces);
	*piece = (struct piece_frames){.own = node ? copy(node->text) : NULL};
	frames->last_end = fields_time(fields, "to", &to) == 1 ? to : INT64_MIN;
	return 0;
}

const struct piece_frames *frames_of(const struct frames *frames, const char *graph, size_t *count)
{
	for (size_t i = 0; i < frames->paths.count; i++)
		if (!strcmp(frames->paths.items[i].graph, graph)) {
			*count = frames->paths.items[i].pieces.count;
			return frames->paths.items[i].pieces.items;
		}
	*count = 0;
	return NULL;
}

static void forget_path(struct path_frames *path)
{
	for (size_t p = 0; p < path->pieces.count; p++) {
		free(path->pieces.items[p].own);
		free(path->pieces.items[p].ended);
	}
	free(path->pieces.items);
	free(path->graph);
}

static bool is_of_moment(const struct path_frames *path, const struct moment *moment)
{
	for (size_t i = 0; i < moment->stories.count; i++)
		if (!strcmp(moment->stories.items[i]->graph, path->graph))
			return true;
	return false;
}

void frames_forget(struct frames *frames, const struct moment *moment)
{
	size_t count = frames->paths.count;
	bool goes_on = count > 0 && moment && !is_of_moment(&frames->paths.items[count - 1], moment);

	for (size_t i = 0; i + goes_on < count; i++)
		forget_path(&frames->paths.items[i]);
	if (goes_on)
		frames->paths.items[0] = frames->paths.items[count - 1];
	frames->paths.count = goes_on;
}

static int stream_seen(void *context, const struct record *record)
{
	(void)record;
	frames_forget(context, NULL);
	return 0;
}

struct frames *frames_new(struct stream *stream)
{
	struct frames *frames = NEW(struct frames);

	frames->stream = stream;
	stream_watch(stream, KIND_STREAM, stream_seen, frames);
	stream_watch(stream, KIND_GRAPH, graph_seen, frames);
	stream_watch(stream, KIND_NODE, node_seen, frames);
	stream_watch(stream, KIND_PATH, path_seen, frames);
	return frames;
}

void frames_free(struct frames *frames)
{
	forget_nodes(frames);
	frames_forget(frames, NULL);
	free(frames->paths.items);
	free(frames);
}
