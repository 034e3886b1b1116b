#include "stream/state.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

struct stream *stream_create(void)
{
	struct stream *stream = NEW(struct stream);

	stream->out = -1;
	usage_begin(&stream->usage);
	return stream;
}

struct stream *stream_open(char *const *files, int count)
{
	struct stream *stream = stream_create();

	stream->reader = reader_open(files, count);
	if (!stream->reader) {
		free(stream);
		return NULL;
	}
	return stream;
}

void stream_output(struct stream *stream, int fd, bool text)
{
	signal(SIGPIPE, SIG_IGN);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20); /* fewer context switches; failure is harmless */
	stream->writer = writer_open(fd, text || isatty(fd));
	stream_ends_with(stream, fd);
}

void stream_ends_with(struct stream *stream, int fd)
{
	stream->out = fd;
}

void stream_watch(struct stream *stream, enum kind kind, record_handler *watch, void *context)
{
	int i = 0;

	while (i < WATCHES_MAX && stream->watches[kind][i].call)
		i++;
	assert(i < WATCHES_MAX); /* one for each layer that keeps state */
	stream->watches[kind][i].call = watch;
	stream->watches[kind][i].context = context;
}

void stream_speller(struct stream *stream, event_speller *speller, void *context)
{
	if (stream->writer)
		writer_speller(stream->writer, speller, context);
}

void stream_knows(struct stream *stream, bool (*knows)(void *, const struct record *), void *context)
{
	stream->knows = knows;
	stream->knower = context;
}

uint64_t stream_damages(const struct stream *stream)
{
	return stream->damages;
}

void stream_report_usage(struct stream *stream, const char *command)
{
	stream->usage.command = command;
}

void stream_report_traced(struct stream *stream, uint64_t events)
{
	stream->usage.traced = events;
}

void stream_copy_ends(struct stream *stream)
{
	stream->copy_ends = true;
}

void stream_mark_incomplete(struct stream *stream)
{
	stream->gaps = stream->incomplete = true;
}

void stream_mark_cut(struct stream *stream)
{
	stream->cut = stream->was_cut = stream->incomplete = true;
}

bool stream_incomplete(const struct stream *stream)
{
	return stream->incomplete;
}

bool stream_was_cut(const struct stream *stream)
{
	return stream->was_cut;
}

bool stream_was_missing(const struct stream *stream)
{
	return stream->was_cut && !stream->seen;
}

void stream_count_lost(struct stream *stream, uint64_t count)
{
	stream->lost += count;
	stream->segment_lost += count;
	if (count > 0)
		stream->incomplete = true;
}

uint64_t stream_lost(const struct stream *stream)
{
	return stream->lost;
}

bool stream_output_closed(const struct stream *stream)
{
	return stream->unread || (stream->writer && writer_closed(stream->writer));
}

int stream_flush(struct stream *stream)
{
	return stream->writer ? writer_flush(stream->writer) : 0;
}

static bool is_made_up(const struct record *record)
{
	return record->kind == KIND_STREAM && record->flags & RECORD_MADE_UP;
}

const struct fields *stream_fields(struct stream *stream, const struct record *record)
{
	if (stream->reader && !is_made_up(record))
		return reader_fields(stream->reader, record);
	return fields_parse(&stream->fields, record->text, record->length) < 0 ? NULL : &stream->fields;
}

uint64_t stream_place(const struct stream *stream)
{
	return reader_place(stream->reader);
}

const char *stream_place_name(struct stream *stream, uint64_t place)
{
	return reader_place_name(stream->reader, place);
}

int stream_fail(struct stream *stream, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return stream->reader ? fail("%s: %s", reader_where(stream->reader), sentence) : fail("%s", sentence);
}

int segment_begin(struct stream *stream, bool swapped)
{
	if (stream->begun)
		return 0;
	stream->begun = true;
	return writer_segment(stream->writer, swapped);
}

int watches_see_all(struct stream *stream, const struct record *record)
{
	for (int i = 0; i < WATCHES_MAX && stream->watches[record->kind][i].call; i++)
		if (stream->watches[record->kind][i].call(stream->watches[record->kind][i].context, record) < 0)
			return -1;
	return 0;
}

int stream_write_record(struct stream *stream, const struct record *record)
{
	if (!stream->reader && watches_see(stream, record) < 0)
		return -1;
	if (!stream->writer || (record->packed && record->kind != KIND_EVENT && writer_is_text(stream->writer)))
		return 0; /* text needs no formats */
	if (is_made_up(record) && !writer_is_text(stream->writer))
		return 0;
	stream->written += !is_made_up(record);
	if (record->kind == KIND_EVENT)
		usage_count_out(&stream->usage, record);
	return segment_begin(stream, record->swapped) || writer_record(stream->writer, record) ? -1 : 0;
}

static int write_line(struct stream *stream, enum kind kind, const struct line *line, uint8_t flags)
{
	if (segment_begin(stream, false))
		return -1;
	return writer_line(stream->writer, kind, line->text, line->length, flags);
}

int stream_write_line(struct stream *stream, const struct line *line)
{
	struct record record = {.kind = kind_of(line->text, strcspn(line->text, " ")), .text = line->text, .length = line->length};

	if (!stream->reader && watches_see(stream, &record) < 0)
		return -1;
	if (!stream->writer)
		return 0;
	stream->written++;
	return write_line(stream, record.kind, line, 0);
}

static int write_usage(struct stream *stream)
{
	usage_line(&stream->usage, !stream->reader, &stream->line);
	usage_next(&stream->usage);
	return stream_write_line(stream, &stream->line);
}

static int write_end(struct stream *stream, uint8_t flags)
{
	if (stream->usage.command && write_usage(stream) < 0)
		return -1;
	line_begin(&stream->line, "end");
	line_unsigned(&stream->line, "records", stream->written);
	line_unsigned(&stream->line, "lost", stream->segment_lost);
	if (stream->cut)
		line_text(&stream->line, "cut", "yes");
	if (stream->gaps)
		line_text(&stream->line, "gaps", "yes");
	return write_line(stream, KIND_END, &stream->line, flags);
}

int segment_end(struct stream *stream)
{
	unsigned cuts = stream->reader ? reader_cuts(stream->reader)->count : 0;
	bool cut = cuts > stream->cuts_told;
	int status = 0;

	if (cut)
		stream_mark_cut(stream);
	if (stream->handlers && stream->handlers->finish)
		status = stream->handlers->finish(stream->context);
	if (status == 0 && stream->writer && !stream->copy_ends)
		status = write_end(stream, 0);
	else if (status == 0 && stream->writer && (cut || !stream->ended))
		status = write_end(stream, cut || stream->damaged ? 0 : RECORD_IMPLIED);
	stream->cuts_told = cuts;
	stream->begun = stream->ended = stream->seen_stream = stream->cut = stream->gaps = stream->damaged = false;
	stream->read = stream->written = stream->segment_lost = 0;
	return status;
}

int stream_next(struct stream *stream, bool swapped)
{
	if (stream->begun && segment_end(stream) < 0)
		return -1;
	return stream->writer ? segment_begin(stream, swapped) : 0;
}

void stream_count_aside(struct stream *stream, const struct record *record)
{
	uint64_t lost;

	if (record->kind == KIND_LOST && fields_parse(&stream->fields, record->text, record->length) == 0 &&
	    fields_unsigned(&stream->fields, "count", &lost) == 1)
		stream_count_lost(stream, lost);
	if (record->kind == KIND_EVENT)
		usage_count_in(&stream->usage, record);
}

static void stream_free(struct stream *stream)
{
	if (stream->reader)
		reader_close(stream->reader);
	line_free(&stream->line);
	free(stream);
}

int stream_close(struct stream *stream)
{
	const char *cut = stream->reader ? reader_cuts(stream->reader)->first : NULL;
	bool closed = stream_output_closed(stream);
	int status = 0;

	if (!stream->reader && stream->writer)
		status = write_end(stream, 0);
	if (stream->writer && writer_close(stream->writer) < 0)
		status = -1;
	if (status == 0)
		fail("%s", cut && !closed ? cut : "");
	status = status < 0 ? 1 : stream->incomplete && !closed ? 3 : 0;
	stream_free(stream);
	return status;
}

int stream_finish(struct stream *stream, const struct handlers *handlers, void *context)
{
	char reason[1024];

	if (stream_run(stream, handlers, context) == 0)
		return stream_close(stream);
	snprintf(reason, sizeof(reason), "%s", fail_text());
	stream_close(stream);
	fail("%s", reason);
	return 1;
}
