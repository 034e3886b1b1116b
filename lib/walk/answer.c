#include "walk/answer.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static volatile sig_atomic_t interrupted;

void answer_interrupt(void)
{
	interrupted = 1;
}

bool answer_interrupted(void)
{
	return interrupted != 0;
}

struct answer {
	FILE *out;
	bool as_json;
	uint64_t most, kept;  /* limit of lines of an answer; how many of these are kept for its end */
	uint64_t lines, more; /* lines so far; how many of these were left out */
	char *pending;	      /* the last line for which there is room; NULL: none */
	json_t *object, *list;
};

struct answer *answer_new(FILE *out, bool as_json, uint64_t most)
{
	struct answer *answer = NEW(struct answer);

	answer->out = out;
	answer->as_json = as_json;
	answer->most = most;
	return answer;
}

void answer_free(struct answer *answer)
{
	if (!answer)
		return;
	json_decref(answer->object);
	free(answer->pending);
	free(answer);
}

void answer_begin(struct answer *answer, const char *command, uint64_t kept)
{
	answer->kept = kept < answer->most ? kept : answer->most - 1;
	answer->lines = answer->more = 0;
	interrupted = 0;
	if (!answer->as_json)
		return;
	answer->object = json_object();
	answer->list = json_array();
	json_object_set_new(answer->object, "command", json_string(command));
	json_object_set_new(answer->object, "answer", answer->list);
}

static void print(struct answer *answer, char *text)
{
	fprintf(answer->out, "%s\n", text);
	free(text);
}

/* Holds back the last line for which there is room. If another follows, counts both as left out. */
static void add_text(struct answer *answer, const char *format, va_list arguments)
{
	char *text = NULL;

	if (interrupted)
		return;
	if (vasprintf(&text, format, arguments) < 0)
		return;
	answer->lines++;
	if (answer->lines < answer->most - answer->kept) {
		print(answer, text);
	} else if (answer->lines == answer->most - answer->kept) {
		answer->pending = text;
	} else {
		answer->more += answer->pending ? 2 : 1;
		free(answer->pending);
		answer->pending = NULL;
		free(text);
	}
}

static void end_lines(struct answer *answer)
{
	if (answer->pending)
		print(answer, answer->pending);
	else if (answer->more && !answer->as_json)
		fprintf(answer->out, "... %llu more: say -n\n", (unsigned long long)answer->more);
	answer->pending = NULL;
	if (!answer->as_json)
		answer->more = 0;
}

void answer_line(struct answer *answer, json_t *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!answer->as_json) {
		add_text(answer, format, arguments);
		json_decref(object);
	} else if (answer->lines++ < answer->most - answer->kept) {
		json_array_append_new(answer->list, object);
	} else {
		answer->more++;
		json_decref(object);
	}
	va_end(arguments);
}

bool answer_is_full(const struct answer *answer)
{
	return answer->more > 0;
}

void answer_more(struct answer *answer, uint64_t count)
{
	answer->lines += count;
	answer->more += count;
}

void answer_last(struct answer *answer, json_t *object, const char *format, ...)
{
	va_list arguments;

	end_lines(answer);
	va_start(arguments, format);
	if (answer->as_json) {
		json_array_append_new(answer->list, object);
	} else {
		vfprintf(answer->out, format, arguments);
		putc('\n', answer->out);
		json_decref(object);
	}
	va_end(arguments);
}

void answer_end(struct answer *answer)
{
	end_lines(answer);
	if (!answer->as_json)
		return;
	if (answer->more)
		json_object_set_new(answer->object, "more", json_integer((json_int_t)answer->more));
	json_dumpf(answer->object, answer->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	putc('\n', answer->out);
	json_decref(answer->object);
	answer->object = answer->list = NULL;
}

const char *answer_duration(int64_t ns)
{
	enum { TEXTS = 4 };
	static char texts[TEXTS][NUMBER_ROOM];
	static int next;
	char *text = texts[next++ % TEXTS];

	number_human_duration(text, ns);
	return text;
}

json_t *answer_seconds(int64_t ns)
{
	return json_real((double)ns / (double)NSEC_PER_SEC);
}
