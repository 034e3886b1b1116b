#include "model/usual.h"

#include <stdlib.h>
#include <string.h>

#include "walk/tell.h"
#include "walk/whole_find.h"
#include "walk/whole_record.h"
#include "walk/whole_words.h"

struct usual {
	struct stream *stream;
	struct whole_reader *reader;
	ARRAY(struct usual_window) windows;
};

struct usual *usual_new(struct stream *stream)
{
	struct usual *usual = NEW(struct usual);

	usual->stream = stream;
	usual->reader = whole_reader_new(stream);
	return usual;
}

void usual_free(struct usual *usual)
{
	if (!usual)
		return;
	for (size_t i = 0; i < usual->windows.count; i++) {
		free(usual->windows.items[i].id);
		free(usual->windows.items[i].lines);
	}
	free(usual->windows.items);
	whole_reader_free(usual->reader);
	free(usual);
}

/* Nodes and edges come behind their graph: before it has begun they are others'. */
int usual_take(struct usual *usual, const struct record *record)
{
	if ((record->kind == KIND_NODE || record->kind == KIND_EDGE) && !whole_reader_has(usual->reader))
		return 0;
	return whole_reader_record(usual->reader, record);
}

/* The culprit and a circle in words; NULL: too few cases are normal. */
static char *verdict_words(const struct whole *whole, uint32_t segment)
{
	struct vote result;
	char *text = NULL;
	size_t length;

	if (vote(whole, segment, NULL, &result) == 0 && !vote_few(&result)) {
		FILE *out = open_memstream(&text, &length);
		struct teller teller = {whole, answer_new(out, false, UINT64_MAX), TIME_NONE, false};

		answer_begin(teller.answer, "culprit", 0);
		tell_verdict(&teller, &result);
		answer_end(teller.answer);
		answer_free(teller.answer);
		fclose(out);
	}
	vote_free(&result);
	return text;
}

static void judge(struct usual *usual, const struct whole *whole, const struct whole_window *window)
{
	const struct whole_signal *signal = window->signal == NUMBER_NONE ? NULL : &whole->signals.items[window->signal];
	uint32_t thread = signal && signal->tid ? whole_thread_of(whole, signal->tid) : NUMBER_NONE;
	const char *id = whole_text(whole, window->id);
	struct state state;
	char *lines;

	if (thread == NUMBER_NONE || !signal->in_window || signal->start >= signal->ts)
		return;
	state = state_of(whole, whole_thread_then(whole, thread, signal->start, signal->ts), signal->start, signal->ts);
	lines = state.kind == STATE_WAIT ? verdict_words(whole, state.segment) : NULL;
	if (!lines)
		return;
	lines[strlen(lines) - 1] = '\0'; /* the last line's end */
	*ARRAY_ADD(&usual->windows) = (struct usual_window){memory_text(id, strlen(id)), lines};
}

int usual_over(struct usual *usual)
{
	struct whole *whole;

	if (!whole_reader_has(usual->reader))
		return 0;
	whole = whole_reader_finish(usual->reader);
	if (!whole)
		return -1;
	for (size_t i = 0; i < whole->windows.count; i++)
		judge(usual, whole, &whole->windows.items[i]);
	whole_free(whole);
	return 0;
}

const struct usual_window *usual_window(const struct usual *usual, size_t index)
{
	return index < usual->windows.count ? &usual->windows.items[index] : NULL;
}

const struct usual_window *usual_find(const struct usual *usual, const char *id)
{
	for (size_t i = 0; id && i < usual->windows.count; i++)
		if (!strcmp(usual->windows.items[i].id, id))
			return &usual->windows.items[i];
	return NULL;
}
