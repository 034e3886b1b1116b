#include "model/usual_culprit.h"

#include <stdlib.h>
#include <string.h>

#include "walk/describe.h"
#include "walk/whole_find.h"
#include "walk/whole_record.h"
#include "walk/whole_words.h"

struct usual_culprit {
	struct stream *stream;
	ARRAY(struct whole_reader *) readers; /* by host */
	ARRAY(struct usual_window) windows;
};

struct usual_culprit *usual_culprit_new(struct stream *stream)
{
	struct usual_culprit *usual = NEW(struct usual_culprit);

	usual->stream = stream;
	return usual;
}

void usual_culprit_free(struct usual_culprit *usual)
{
	if (!usual)
		return;
	for (size_t i = 0; i < usual->windows.count; i++) {
		free(usual->windows.items[i].id);
		free(usual->windows.items[i].host);
		free(usual->windows.items[i].lines);
		json_decref(usual->windows.items[i].culprit);
	}
	free(usual->windows.items);
	for (size_t i = 0; i < usual->readers.count; i++)
		whole_reader_free(usual->readers.items[i]);
	free(usual->readers.items);
	free(usual);
}

/* Nodes and edges follow their graph. Those that come before the whole graph has begun belong to other graphs. */
int usual_culprit_take(struct usual_culprit *usual, size_t host, const struct record *record)
{
	while (usual->readers.count <= host)
		*ARRAY_ADD(&usual->readers) = whole_reader_new(usual->stream);
	if ((record->kind == KIND_NODE || record->kind == KIND_EDGE) && !whole_reader_has(usual->readers.items[host]))
		return 0;
	return whole_reader_record(usual->readers.items[host], record);
}

/* The verdict, such as the culprit and a circle of waits, as text or JSON. The caller frees it. */
static char *verdict_text(const struct whole *whole, const struct vote *vote, bool as_json)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct describer describer = {whole, answer_new(out, as_json, UINT64_MAX), TIME_NONE, false};

	answer_begin(describer.answer, "culprit", 0);
	describe_verdict(&describer, vote);
	answer_end(describer.answer);
	answer_free(describer.answer);
	fclose(out);
	text[strlen(text) - 1] = '\0'; /* cuts the last newline */
	return text;
}

/* Adds the lines about a window, if there are enough normal cases. */
static void say(struct usual_culprit *usual, const struct whole *whole, uint32_t segment, const char *window, size_t host, const char *name)
{
	struct vote result;

	if (vote(whole, segment, NULL, &result) == 0 && !vote_few(&result)) {
		char *json = verdict_text(whole, &result, true);
		json_t *answer = json_loads(json, 0, NULL);

		*ARRAY_ADD(&usual->windows) = (struct usual_window){memory_text(window, strlen(window)), memory_text(name, strlen(name)), host,
								    verdict_text(whole, &result, false), json_incref(json_object_get(answer, "answer"))};
		json_decref(answer);
		free(json);
	}
	vote_free(&result);
}

static void judge(struct usual_culprit *usual, const struct whole *whole, const struct whole_window *window, size_t host, const char *name)
{
	const struct whole_signal *signal = window->signal == NUMBER_NONE ? NULL : &whole->signals.items[window->signal];
	uint32_t thread = signal && signal->tid ? whole_thread_of(whole, signal->tid) : NUMBER_NONE;
	struct state state;

	if (thread == NUMBER_NONE || !signal->in_window || signal->start >= signal->ts)
		return;
	state = state_of(whole, whole_thread_then(whole, thread, signal->start, signal->ts), signal->start, signal->ts);
	if (state.kind == STATE_WAIT)
		say(usual, whole, state.segment, whole_text(whole, window->id), host, name);
}

int usual_culprit_over(struct usual_culprit *usual, size_t host, const char *name)
{
	struct whole *whole;

	if (host >= usual->readers.count || !whole_reader_has(usual->readers.items[host]))
		return 0;
	whole = whole_reader_finish(usual->readers.items[host]);
	if (!whole)
		return -1;
	for (size_t i = 0; i < whole->windows.count; i++)
		judge(usual, whole, &whole->windows.items[i], host, name);
	whole_free(whole);
	return 0;
}

const struct usual_window *usual_culprit_window(const struct usual_culprit *usual, size_t index)
{
	return index < usual->windows.count ? &usual->windows.items[index] : NULL;
}

const struct usual_window *usual_culprit_find(const struct usual_culprit *usual, size_t host, const char *id)
{
	for (size_t i = 0; id && i < usual->windows.count; i++)
		if (usual->windows.items[i].number == host && !strcmp(usual->windows.items[i].id, id))
			return &usual->windows.items[i];
	return NULL;
}
