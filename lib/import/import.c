#include "import/import.h"

#include <errno.h>
#include <fcntl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/listing.h"
#include "base/memory.h"
#include "base/number.h"
#include "import/import_format.h"
#include "stream/foreign.h"

/* If two formats claim the same number of lines, the first wins: ftrace would take perf's thread ":-1 -1" as its own. */
#define FORMATS(F) F(tracedat) F(systrace) F(otlp) F(jaeger) F(strace) F(ctf) F(perf) F(ftrace)

#define DECLARE(name) extern const struct import_format import_##name;
FORMATS(DECLARE)
#undef DECLARE

#define ROW(name) &import_##name,
static const struct import_format *const formats[] = {FORMATS(ROW)};
#undef ROW

enum { COUNT = sizeof(formats) / sizeof(formats[0]) };

const char *import_format_name(size_t index)
{
	return index < COUNT ? formats[index]->name : NULL;
}

struct import *import_new(struct stream *stream, const struct import_options *options)
{
	int format = options->format ? listing_find("format", options->format, import_format_name) : -1;
	struct import *import;

	if (options->format && format < 0)
		return NULL;
	import = NEW(struct import);
	import->stream = stream;
	import->options = options;
	import->format = format < 0 ? NULL : formats[format];
	return import;
}

int import_only(struct import *import, const struct import_event *events, int count)
{
	import->choices = event_choices_new(events, count, import->options->names);
	return import->choices ? 0 : -1;
}

void import_free(struct import *import)
{
	for (size_t i = 0; i < import->notes.count; i++)
		free(import->notes.items[i]);
	free(import->notes.items);
	if (import->state)
		import->free_state(import->state);
	event_choices_free(import->choices);
	free(import);
}

size_t import_note_count(const struct import *import)
{
	return import->notes.count;
}

const char *import_note(const struct import *import, size_t i)
{
	return import->notes.items[i];
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

static int about_to_wait(void *context, int fd)
{
	struct import *import = context;

	return stream_await(import->stream, fd);
}

/* Hints for text files that are no traces, by how they begin or by a text within them; then the formats' own hints. NULL: there is none. */
static const char *text_hint(const char *bytes, size_t length)
{
	static const struct {
		const char *text, *hint;
		bool begins;
	} known[] = {
		{"\377\376", "it is UTF-16; convert it with iconv -f UTF-16 -t UTF-8", true},
		{"TRACE:\n\170", "it is what atrace -z prints; have it printed without -z", true},
		{"{", "it is JSON, but has no spans as OTLP or Jaeger spell them; give trace-import the trace that it was made of", true},
		{"Attaching ", "it is what a program of bpftrace prints, which is no list of events", true},
		{"raw event: size ", "it is what perf script -D prints; have it printed without -D", false},
		{"sch delay", "it is a summary by perf sched; give trace-import what perf script prints", false},
		{"| Max delay ", "it is a summary by perf sched; give trace-import what perf script prints", false},
		{"# Samples: ", "it is a summary by perf report; give trace-import what perf script prints", false},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *found = memmem(bytes, length, known[i].text, strlen(known[i].text));

		if (found && (found == bytes || !known[i].begins))
			return known[i].hint;
	}
	for (int i = 0; i < COUNT; i++) {
		const char *hint = formats[i]->hint ? formats[i]->hint(bytes, length) : NULL;

		if (hint)
			return hint;
	}
	return NULL;
}

/* What a file is that cannot be imported, and what to do about it; NULL: unknown. */
static const char *hint(const char *bytes, size_t length)
{
	const char *foreign = foreign_hint(bytes, length);

	if (length >= STREAM_MAGIC_SIZE && !memcmp(bytes, STREAM_MAGIC, STREAM_MAGIC_SIZE))
		return "it is a tailblame stream already";
	return foreign ? foreign : text_hint(bytes, length);
}

static const char *words_of(size_t index)
{
	return index < COUNT ? formats[index]->words : NULL;
}

static int refuse(const char *name, const char *bytes, size_t length)
{
	const char *known = hint(bytes, length);
	char *names = known ? NULL : listing_words(words_of, "and", "");
	int status = known ? fail("%s: %s", name, known) : fail("%s: no trace of a known format; there are %s", name, names);

	free(names);
	return status;
}

/* The format that claims the most lines; NULL: none does. */
static const struct import_format *likeliest(const char *bytes, size_t length)
{
	const struct import_format *format = NULL;
	size_t most = 0;

	for (int i = 0; most < IMPORT_SURE && i < COUNT; i++) {
		size_t count = formats[i]->is(bytes, length);

		if (count > most)
			format = formats[i];
		most = count > most ? count : most;
	}
	return format;
}

/* If the user named the format, only that format's hint says that the file is wrong. 0; -1 after fail(). */
static int check_named(const struct import *import, const struct import_input *input, const char *bytes, size_t length)
{
	const struct import_format *format = import->format;
	const char *hint = format && format->hint && format->is(bytes, length) == 0 ? format->hint(bytes, length) : NULL;

	return hint ? fail("%s: %s", input->name, hint) : 0;
}

/* Chooses the format. A pipe may give a heading first and events later: waits until a format claims lines. 0; -1 after fail(). */
static int choose(const struct import *import, struct import_input *input, const struct import_format **format)
{
	const char *bytes;
	size_t length;
	int more;

	do {
		if (lines_peek(&input->lines, &bytes, &length) < 0)
			return -1;
		if (length == 0)
			return fail("%s: no data", input->name);
		*format = import->format ? import->format : likeliest(bytes, length);
		more = *format ? 0 : lines_peek_more(&input->lines);
	} while (more > 0);
	if (more < 0)
		return -1;
	return *format ? check_named(import, input, bytes, length) : refuse(input->name, bytes, length);
}

static const char *merged_name(size_t index)
{
	for (int i = 0; i < COUNT; i++)
		if (formats[i]->end && index-- == 0)
			return formats[i]->name;
	return NULL;
}

/* All files to merge must have one format. */
static int check_merge(struct import *import, const struct import_format *format, const char *name)
{
	char *merged;

	if (!format->end) {
		merged = listing_words(merged_name, "and", "");
		fail("%s: only files of %s can be merged", name, merged);
		free(merged);
		return -1;
	}
	if (import->merging && import->merging != format)
		return fail("%s: %s cannot be merged with %s", name, format->name, import->merging->name);
	import->merging = format;
	return 0;
}

int import_file(struct import *import, const char *name)
{
	bool standard = strcmp(name, "-") == 0;
	struct import_input input = {.name = standard ? "standard input" : name};
	const struct import_format *format;
	int status;

	input.fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (input.fd < 0)
		return fail_errno("cannot open '%s'", name);
	lines_open(&input.lines, input.name, input.fd, about_to_wait, import);
	status = choose(import, &input, &format);
	if (status == 0 && import->options->merge)
		status = check_merge(import, format, input.name);
	if (status == 0)
		status = format->read(import, &input);
	if (stream_output_closed(import->stream))
		status = 0;
	lines_close(&input.lines);
	if (!standard)
		close(input.fd);
	return status;
}

static void say_unknown(void *import, const char *event, const char *field, uint64_t count)
{
	char number[NUMBER_ROOM];

	number_human_count(number, count);
	import_say(import, false, "the filter of %s asks for %s, which %s of them do not tell; they pass", event, field, number);
}

static void say_missing(void *import, const char *pattern, const char *near)
{
	import_say(import, false, "no event '%s' in what was read%s", pattern, near);
}

int import_end(struct import *import)
{
	if (import->merging && import->merging->end(import) < 0)
		return -1;
	if (import->choices)
		event_choices_each_unknown(import->choices, say_unknown, import);
	if (import->choices && !stream_output_closed(import->stream)) /* a closed output ends reading early */
		event_choices_each_missing(import->choices, say_missing, import);
	return 0;
}
