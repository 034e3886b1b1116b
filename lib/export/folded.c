/*
 * Stacks of blamed waits, folded: "victim;holder;grinder;running 1234", microseconds, for flame graphs.
 *
 * A critical path is walked from its end backward. Whoever the target waited for stands upon it, whoever that one waited
 * for upon that, and so on; where the path comes back to somebody who waits already, the stack is cut back to them.
 * The last frame is what was done. Lines are summed up by story, so that a path of thousands of pieces is few lines.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "export/format.h"
#include "report/model.h"

enum { DEPTH = 256 };

struct stack {
	char *text; /* frames, folded */
	int64_t time;
	UT_hash_handle hh;
};

struct folded {
	struct model *model;
	char *frames[DEPTH]; /* who waits, of the story at hand */
	size_t depth;
	struct stack *stacks;
	struct line line;
};

/* A frame without what separates frames and lines; threads of one name are one: "reader/3312" is "reader". */
static char *make_frame(const char *text)
{
	char *frame = memory_text(*text ? text : "unknown", *text ? strlen(text) : 7), *slash = strrchr(frame, '/');

	if (slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1))
		*slash = '\0';
	for (char *c = frame; *c; c++)
		if (*c == ';')
			*c = ':';
	return frame;
}

/* What was done: the piece's words without who did it, who is the frame below. "" where they say no more than that. */
static const char *deed(const struct piece *piece)
{
	size_t length = strlen(piece->row);
	const char *words = piece->part->words;

	if (length == 0 || strncmp(words, piece->row, length) != 0 || !strchr(" :", words[length]))
		return words;
	words += length;
	return words + strspn(words, " :");
}

static void cut_back(struct folded *folded, size_t depth)
{
	while (folded->depth > depth)
		free(folded->frames[--folded->depth]);
}

static void push(struct folded *folded, const char *who)
{
	char *frame = make_frame(who);

	for (size_t i = 0; i < folded->depth; i++)
		if (!strcmp(folded->frames[i], frame)) {
			cut_back(folded, i + 1);
			free(frame);
			return;
		}
	if (folded->depth == DEPTH)
		cut_back(folded, DEPTH - 1); /* the last stands for all that would be upon it */
	folded->frames[folded->depth++] = frame;
}

static void append_frame(struct line *line, const char *frame)
{
	if (line->length > 0)
		line_append(line, ";", 1);
	line_append(line, frame, strlen(frame));
}

static void add_time(struct folded *folded, const struct piece *piece)
{
	char *leaf = *deed(piece) ? make_frame(deed(piece)) : NULL;
	struct stack *stack;

	folded->line.length = 0;
	for (size_t i = 0; i < folded->depth; i++)
		append_frame(&folded->line, folded->frames[i]);
	if (leaf)
		append_frame(&folded->line, leaf);
	free(leaf);
	HASH_FIND(hh, folded->stacks, folded->line.text, folded->line.length, stack);
	if (!stack) {
		stack = NEW(struct stack);
		stack->text = memory_text(folded->line.text, folded->line.length);
		HASH_ADD_KEYPTR(hh, folded->stacks, stack->text, folded->line.length, stack);
	}
	if (piece->to > piece->from)
		stack->time += piece->to - piece->from;
}

/* Prints the sums, rounded; what is less than half a microsecond in all no flame graph could show. */
static void print_stacks(struct folded *folded, FILE *out)
{
	struct stack *stack, *next;

	HASH_ITER(hh, folded->stacks, stack, next) {
		if (out && stack->time >= 500)
			fprintf(out, "%s %" PRId64 "\n", stack->text, (stack->time + 500) / 1000);
		HASH_DEL(folded->stacks, stack);
		free(stack->text);
		free(stack);
	}
}

static int moment_told(void *context, const struct moment *moment)
{
	struct export *export = context;
	struct folded *folded = export->state;

	for (size_t i = 0; i < moment->stories.count; i++) {
		const struct story *story = moment->stories.items[i];

		push(folded, story->signal && *story->signal->comm ? story->signal->comm : story->root);
		for (size_t p = story->pieces.count; p-- > 0;) {
			push(folded, story->pieces.items[p].row);
			add_time(folded, &story->pieces.items[p]);
		}
		cut_back(folded, 0);
		print_stacks(folded, export->out);
	}
	return export_written(export);
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct folded *folded = NEW(struct folded);

	folded->model = model_new(export->stream, false, moment_told, export);
	export->state = folded;
	export->context = folded->model;
	*handlers = *model_handlers(folded->model);
	return 0;
}

static int end(struct export *export)
{
	struct folded *folded = export->state;

	return folded->model->graphs > 0 ? 0 : fail("there are no critical paths in the stream; blame-rank finds them");
}

static void free_state(struct export *export)
{
	struct folded *folded = export->state;

	cut_back(folded, 0);
	print_stacks(folded, NULL);
	model_free(folded->model);
	line_free(&folded->line);
	free(folded);
}

const struct export_format export_folded = {.name = "folded", .begin = begin, .end = end, .free = free_state};
