#include "base/fail.h"
#include "base/input.h"
#include "stream/state.h"

static int dispatch(struct stream *stream, const struct record *record);

/*
 * A later segment without a `stream` record: handlers must learn that a stream begins, and so must readers of our text, which has
 * no magic number.
 */
static int imply_stream(struct stream *stream)
{
	static const char text[] = "stream version=1";

	return dispatch(stream, &(struct record){
		.kind = KIND_STREAM, .flags = RECORD_MADE_UP, .text = text, .length = sizeof(text) - 1});
}

/* Even a segment without records gets an end; its beginning must be written, or readers take the end as a second one. */
static int end_segment(struct stream *stream)
{
	if (stream->behind && !stream->seen_stream && imply_stream(stream) < 0)
		return -1;
	return segment_end(stream);
}

static int begin_segment(struct stream *stream)
{
	if (stream->begun || stream->seen || reader_cuts(stream->reader)->count > stream->cuts_told) { /* the last: an empty file */
		if (end_segment(stream) < 0)
			return -1;
		stream->behind = true;
	}
	stream->seen = true;
	return stream->writer ? segment_begin(stream, reader_swapped(stream->reader)) : 0;
}

static int note_stream(struct stream *stream, const struct fields *fields)
{
	uint64_t version = STREAM_VERSION;

	if (fields_unsigned(fields, "version", &version) < 0)
		return stream_fail(stream, "%s", fail_text());
	if (version != STREAM_VERSION)
		return stream_fail(stream, "stream version %llu; this program reads version %d", (unsigned long long)version,
				   STREAM_VERSION);
	if ((stream->seen_stream || stream->ended) && begin_segment(stream) < 0)
		return -1;
	stream->seen_stream = true;
	return 0;
}

static int note_lost(struct stream *stream, const struct fields *fields)
{
	uint64_t lost = 0, bytes;
	int status = fields_unsigned(fields, "count", &lost), damage = fields_unsigned(fields, "bytes", &bytes);

	if (damage > 0) {
		stream_mark_incomplete(stream);
		stream->damaged = true;
		stream->damages++;
	}
	if (status < 0 || (status == 0 && damage <= 0))
		return status < 0 ? stream_fail(stream, "%s", fail_text()) : stream_fail(stream, "count= is missing");
	stream_count_lost(stream, lost);
	return 0;
}

static int note_end(struct stream *stream, const struct fields *fields, uint8_t flags)
{
	uint64_t lost = 0, records = 0;

	if (fields_unsigned(fields, "lost", &lost) < 0 || fields_unsigned(fields, "records", &records) < 0)
		return stream_fail(stream, "%s", fail_text());
	if (lost > stream->segment_lost) /* an earlier stage removed `lost` records */
		stream_count_lost(stream, lost - stream->segment_lost);
	reader_saw_end(stream->reader, records > stream->read && !(flags & RECORD_OF_TEXT) ? records - stream->read : 0);
	stream->ended = true;
	if (fields_is(fields, "cut", "yes"))
		stream_mark_cut(stream);
	if (fields_is(fields, "gaps", "yes"))
		stream_mark_incomplete(stream);
	if (stream->copy_ends && !stream->damaged)
		return 0;
	stream->ended = stream->ended && !stream->damaged; /* its count includes damaged records */
	return 1;
}

/* Notes losses and ends for the loop itself. 1: do not dispatch the record; 0: dispatch it; -1 after fail(). */
static int take_note(struct stream *stream, const struct record *record)
{
	const struct fields *fields;

	if (record->kind == KIND_EVENT) {
		usage_count_in(&stream->usage, record);
		return 0;
	}
	if (record->kind != KIND_STREAM && record->kind != KIND_LOST && record->kind != KIND_END)
		return 0;
	fields = stream_fields(stream, record);
	if (!fields)
		return -1;
	return record->kind == KIND_STREAM ? note_stream(stream, fields)
	       : record->kind == KIND_LOST ? note_lost(stream, fields)
					   : note_end(stream, fields, record->flags);
}

/* An event whose format stood in the damaged part cannot be read: it counts as lost. */
static int dispatch_unknown(struct stream *stream, const struct record *event)
{
	struct line line = {0};
	struct record lost = {.kind = KIND_LOST};
	int status;

	line_begin(&line, kind_name(KIND_LOST));
	line_time(&line, "ts", event->ts);
	line_unsigned(&line, "cpu", event->cpu);
	line_unsigned(&line, "count", 1);
	lost.text = line.text;
	lost.length = line.length;
	status = dispatch(stream, &lost);
	line_free(&line);
	return status;
}

static int dispatch(struct stream *stream, const struct record *record)
{
	record_handler *handler = stream->handlers->on[record->kind];
	int verdict;

	if (stream->damaged && record->kind == KIND_EVENT && record->packed && stream->knows && !stream->knows(stream->knower, record))
		return dispatch_unknown(stream, record);
	verdict = take_note(stream, record);

	if (verdict != 0)
		return verdict < 0 ? -1 : 0;
	if (watches_see(stream, record) < 0)
		return -1;
	verdict = handler ? handler(stream->context, record) : STREAM_PASS;
	return verdict == STREAM_PASS ? stream_write_record(stream, record) : verdict < 0 ? -1 : 0;
}

static int take_record(struct stream *stream, const struct record *record)
{
	stream->seen = true;
	if (stream->behind && !stream->seen_stream && record->kind != KIND_STREAM && imply_stream(stream) < 0)
		return -1;
	if (dispatch(stream, record) < 0)
		return -1;
	stream->read++;
	return 0;
}

/* Waits for the output's reader, too: a filter writes nothing while all is well, so it would not notice that its reader is gone. */
int stream_await(struct stream *stream, int fd)
{
	int gone;

	do {
		if (stream->handlers && stream->handlers->idle && stream->handlers->idle(stream->context) < 0)
			return -1;
		if (stream_flush(stream) < 0)
			return -1;
		gone = await_input(fd, stream->out);
	} while (gone < 0);
	stream->unread = gone;
	return gone;
}

static int about_to_wait(void *context, int fd)
{
	return stream_await(context, fd);
}

int stream_run(struct stream *stream, const struct handlers *handlers, void *context)
{
	struct record record;
	enum reader_result result;

	stream->handlers = handlers;
	stream->context = context;
	reader_on_wait(stream->reader, about_to_wait, stream);
	while ((result = reader_next(stream->reader, &record)) > READER_END) {
		if (stream_output_closed(stream))
			return 0;
		if ((result == READER_SEGMENT ? begin_segment(stream) : take_record(stream, &record)) < 0)
			return -1;
	}
	if (result == READER_FAILED)
		return stream->unread ? 0 : -1;
	return end_segment(stream);
}
