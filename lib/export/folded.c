/*
 * Stacks of blamed waits, folded: "victim;holder;grinder;running 1234", microseconds, for flame graphs.
 *
 * A critical path is walked from its end backward. Whoever the target waited for stands upon it, whoever that one
 * waited for upon that, and so on; where the path comes back to somebody who waits already, the stack is cut back to
 * them. Where functions are known, those that somebody waited in stand between them and whom they waited for. The last
 * frame is what was done. Lines are summed up by story, so that a path of thousands of pieces is few lines.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/span.h"
#include "export/format.h"
#include "export/frames.h"
#include "report/model.h"

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
		char *text;     /* a frame */
		char *function; /* where they waited, folded; NULL: not known */
	} waiting[DEPTH];       /* of the story at hand */
	size_t depth;
	struct stack *stacks;
	struct line line;
};

/* A frame without what separates frames. */
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

/* Where the one on top waits, or is at work. */
static void set_function(struct folded *folded, const char *function)
{
	if (folded->depth == 0)
		return;
	free(folded->waiting[folded->depth - 1].function);
	folded->waiting[folded->depth - 1].function = function ? memory_text(function, strlen(function)) : NULL;
}

/* Puts them on top, waiting nowhere yet. */
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
		cut_back(folded, DEPTH - 1); /* the last stands for all that would be upon it */
	folded->waiting[folded->depth].text = frame;
	folded->waiting[folded->depth++].function = NULL;
}

static void append_frame(struct line *line, const char *frame)
{
	if (line->length > 0)
		line_append(line, ";", 1);
	line_append(line, frame, strlen(frame));
}

static void add_time(struct folded *folded, const struct piece *piece)
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
	stack->time = span_add(stack->time, span_between(piece->from, piece->to));
}

/* Prints the sums, rounded; what is less than half a microsecond in all no flame graph could show. */
static void print_stacks(struct folded *folded, FILE *out)
{
	struct stack *stack, *next;

	HASH_ITER(hh, folded->stacks, stack, next)
	{
		if (out && stack->time >= 500)
			fprintf(out, "%s %" PRId64 "\n", stack->text, span_add(stack->time, 500) / 1000);
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
		const struct piece *piece = &story->pieces.items[p];

		if (p < known && functions[p].ended)
			set_function(folded, functions[p].ended); /* of the one on top, whose wait the piece ended */
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
