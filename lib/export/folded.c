/*
 * Stacks of blamed waits, folded: "victim;holder;grinder;running 1234", microseconds, for flame graphs.
 *
 * A critical path is walked from its end backward. The stack begins with the target; on each thread stands the thread that
 * it waited for. If the path returns to a thread that is already in the stack, the stack is cut back to that thread. Known
 * functions that a thread waited in stand between the thread and the one that it waited for. The last frame is what was
 * done. Equal lines of a story are summed up, so that a path of thousands of pieces becomes a few lines.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "export/format.h"
#include "model/display.h"
#include "model/model.h"
#include "model/moment.h"
#include "stream/stream.h"

/*
 * frames: the functions that the pieces of critical paths were in, from the `stack` of `node` records, if graph-build knew
 * them (trace-collect --stack).
 *
 * A path leads from a running piece directly to the thread that it woke; the wait between the two is no piece of the path.
 * The functions that the wait was in are kept with the piece that ended it.
 *
 * Memory: the nodes of one graph, and the pieces of the graphs whose moments are not complete yet.
 */

struct piece_frames { /* functions, the outermost first, ';' between them; NULL: unknown */
	char *own;   /* those of the piece */
	char *ended; /* those of the wait that the piece ended */
};

struct node_frames {
	int64_t id;
	struct {
		int64_t end, tid;
	} wait; /* the node's end and thread: the key in `waits` if it is a wait */
	bool waits;
	char *text; /* its functions; NULL: unknown */
	UT_hash_handle hh, by_wait;
};

struct path_frames {
	char *graph;
	ARRAY(struct piece_frames) pieces;
};

struct frames {
	struct stream *stream;
	struct node_frames *nodes; /* of the current graph, by id */
	struct node_frames *waits; /* its waits whose functions are known */
	ARRAY(struct path_frames) paths;
	int64_t last_end; /* the end of the piece before */
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

/* Malformed records are reported by the graph reader. */
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
	stack = display_field(fields, "stack");
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

/* The functions of the wait of this thread that ended at `end`; NULL: unknown. */
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

/* The functions of the pieces of this graph's path, in their order; *count: how many pieces. NULL: none. */
static const struct piece_frames *frames_of(const struct frames *frames, const char *graph, size_t *count)
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

/*
 * Forgets the paths so far. `moment` is the one that is over: if the last path is not of it, it is kept, because the record that ended the moment
 * may have begun the path of the next. NULL: forgets all.
 */
static void frames_forget(struct frames *frames, const struct moment *moment)
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

/* Watches the stream until the stream is closed. */
static struct frames *frames_new(struct stream *stream)
{
	struct frames *frames = NEW(struct frames);

	frames->stream = stream;
	stream_watch(stream, KIND_STREAM, stream_seen, frames);
	stream_watch(stream, KIND_GRAPH, graph_seen, frames);
	stream_watch(stream, KIND_NODE, node_seen, frames);
	stream_watch(stream, KIND_PATH, path_seen, frames);
	return frames;
}

static void frames_free(struct frames *frames)
{
	forget_nodes(frames);
	frames_forget(frames, NULL);
	free(frames->paths.items);
	free(frames);
}

enum { DEPTH = 256 };

struct stack {
	char *text; /* frames, folded */
	int64_t time;
	UT_hash_handle hh;
};

struct folded {
	struct model *model;
	struct frames *functions;
	struct {
		char *text;     /* the frame of a thread or device */
		char *function; /* the functions in which it waited, folded; NULL: unknown */
	} waiting[DEPTH];       /* the stack of the current story */
	size_t depth;
	struct stack *stacks;
	struct line line;
};

/* A text as a frame, without the ';' that separates frames. */
static char *make_frame(const char *text)
{
	char *frame = *text ? memory_text(text, strlen(text)) : memory_text("unknown", 7);

	for (char *c = frame; *c; c++)
		if (*c == ';')
			*c = ':';
	return frame;
}

static void cut_back(struct folded *folded, size_t depth)
{
	while (folded->depth > depth) {
		free(folded->waiting[--folded->depth].text);
		free(folded->waiting[folded->depth].function);
	}
}

/* Sets the functions in which the top of the stack waits or works; NULL: unknown. */
static void set_function(struct folded *folded, const char *function)
{
	if (folded->depth == 0)
		return;
	free(folded->waiting[folded->depth - 1].function);
	folded->waiting[folded->depth - 1].function = function ? memory_text(function, strlen(function)) : NULL;
}

/* Puts a frame on top, without functions; if the stack has the frame already, cuts the stack back to it. */
static void push(struct folded *folded, const char *who)
{
	char *frame = make_frame(who);

	for (size_t i = 0; i < folded->depth; i++)
		if (!strcmp(folded->waiting[i].text, frame)) {
			cut_back(folded, i + 1);
			free(frame);
			set_function(folded, NULL);
			return;
		}
	if (folded->depth == DEPTH)
		cut_back(folded, DEPTH - 1); /* the stack is full: the new frame replaces the top */
	folded->waiting[folded->depth].text = frame;
	folded->waiting[folded->depth++].function = NULL;
}

static void append_frame(struct line *line, const char *frame)
{
	if (line->length > 0)
		line_append(line, ";", 1);
	line_append(line, frame, strlen(frame));
}

static void add_time(struct folded *folded, const struct story_piece *piece)
{
	char *leaf = *piece->part->act ? make_frame(piece->part->act) : NULL;
	struct stack *stack;

	folded->line.length = 0;
	for (size_t i = 0; i < folded->depth; i++) {
		append_frame(&folded->line, folded->waiting[i].text);
		if (folded->waiting[i].function)
			append_frame(&folded->line, folded->waiting[i].function);
	}
	if (leaf)
		append_frame(&folded->line, leaf);
	free(leaf);
	HASH_FIND(hh, folded->stacks, folded->line.text, folded->line.length, stack);
	if (!stack) {
		stack = NEW(struct stack);
		stack->text = memory_text(folded->line.text, folded->line.length);
		HASH_ADD_KEYPTR(hh, folded->stacks, stack->text, folded->line.length, stack);
	}
	stack->time = timestamp_add(stack->time, timestamp_between(piece->from, piece->to));
}

/* Prints the sums in rounded microseconds, but none below half a microsecond, which no flame graph shows. Frees them; `out` NULL: only frees. */
static void print_stacks(struct folded *folded, FILE *out)
{
	struct stack *stack, *next;

	HASH_ITER(hh, folded->stacks, stack, next)
	{
		if (out && stack->time >= 500)
			fprintf(out, "%s %" PRId64 "\n", stack->text, timestamp_add(stack->time, 500) / 1000);
		HASH_DEL(folded->stacks, stack);
		free(stack->text);
		free(stack);
	}
}

static void fold_story(struct folded *folded, const struct story *story)
{
	size_t known;
	const struct piece_frames *functions = frames_of(folded->functions, story->graph, &known);

	push(folded, story->signal && *story->signal->comm ? story->signal->comm : story->root_name);
	for (size_t p = story->pieces.count; p-- > 0;) {
		const struct story_piece *piece = &story->pieces.items[p];

		if (p < known && functions[p].ended)
			set_function(folded, functions[p].ended); /* the piece ended the wait of the thread on top */
		push(folded, piece->name);
		if (p < known)
			set_function(folded, functions[p].own);
		add_time(folded, piece);
	}
	cut_back(folded, 0);
}

static int moment_told(void *context, const struct moment *moment)
{
	struct export *export = context;
	struct folded *folded = export->state;

	for (size_t i = 0; i < moment->stories.count; i++) {
		fold_story(folded, moment->stories.items[i]);
		print_stacks(folded, export->out);
	}
	frames_forget(folded->functions, moment);
	return export_written(export);
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct folded *folded = NEW(struct folded);

	folded->functions = frames_new(export->stream);
	folded->model = model_new(export->stream, moment_told, export);
	export->state = folded;
	export->context = folded->model;
	*handlers = *model_handlers(folded->model);
	handlers->host = NULL; /* stacks are not kept by host */
	return 0;
}

static int end(struct export *export)
{
	const struct model *model = ((struct folded *)export->state)->model;

	if (model->counts->graphs > 0)
		return 0;
	if (model->overhead.has_kept && model->counts->signals == model->counts->rates)
		return fail("there are no critical paths in the stream: nothing in it was slow");
	return fail("there are no critical paths in the stream; blame-rank finds them");
}

static void free_state(struct export *export)
{
	struct folded *folded = export->state;

	cut_back(folded, 0);
	print_stacks(folded, NULL);
	model_free(folded->model);
	frames_free(folded->functions);
	line_free(&folded->line);
	free(folded);
}

const struct export_format export_folded = {.name = "folded", .begin = begin, .end = end, .free = free_state};
