#include "stream/stream.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/number.h"
#include "stream/reader.h"
#include "stream/host_listeners.h"
#include "stream/usage.h"
#include "stream/writer.h"

struct stream {
	struct reader *reader; /* NULL: output only */
	struct writer *writer; /* NULL: input only */
	struct host_listeners listeners;
	int out;     /* descriptor that the output or the command writes to; -1: not known yet */
	bool unread; /* the reader of `out` is gone */
	bool paused; /* by stream_pause() */
	const struct handlers *handlers; /* of the current records: `asked`, or none if they are of a host other than `only` */
	const struct handlers *asked;	 /* given to stream_run() */
	bool found; /* records of the host `only` came */
	char *head; /* this segment's stream record; NULL: none, or nobody needs it */
	struct line line;
	struct fields fields; /* of a record that did not come from the reader */
	bool begun, seen, seen_stream; /* output of this segment; any input so far; this segment's stream record */
	bool settled;		       /* the heads that must precede the next record were written */
	size_t host;		       /* number of the host whose records were written last; SIZE_MAX: none */
	bool ended;		       /* this segment's end record came */
	bool behind;		       /* this segment is not the first */
	bool copy_ends;
	bool cut, gaps;		       /* in this segment; the `end` that we write says so */
	bool damaged;		       /* in this segment: a record reported damage */
	bool incomplete, was_cut;      /* in any segment */
	uint64_t damages;	       /* damaged places in all segments */
	unsigned cuts_told; /* cuts of the reader that an end record has reported */
	uint64_t lost;			/* events, in all segments */
	uint64_t read, written, segment_lost; /* in this segment */
	struct usage usage;
};

struct stream *stream_create(void)
{
	struct stream *stream = NEW(struct stream);

	stream->out = -1;
	stream->host = SIZE_MAX;
	host_listeners_begin(&stream->listeners);
	usage_begin(&stream->usage);
	return stream;
}

struct stream *stream_open(char *const *files, int count)
{
	struct stream *stream = stream_create();

	stream->reader = reader_open(files, count);
	if (!stream->reader) {
		host_listeners_free(&stream->listeners);
		free(stream);
		return NULL;
	}
	return stream;
}

struct stream *stream_attach(int fd, const char *name)
{
	struct stream *stream = stream_create();

	stream->reader = reader_attach(fd, name);
	return stream;
}

void stream_output(struct stream *stream, int fd, bool text)
{
	signal(SIGPIPE, SIG_IGN);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20); /* fewer context switches; failure is harmless */
	stream->writer = writer_open(fd, text || isatty(fd));
	writer_speller(stream->writer, stream->listeners.current.speller, stream->listeners.current.spelling);
	stream_ends_with(stream, fd);
}

void stream_output_to(struct stream *stream, stream_sink *sink, void *context)
{
	writer_sink(stream->writer, sink, context);
}

void stream_ends_with(struct stream *stream, int fd)
{
	stream->out = fd;
}

void stream_watch(struct stream *stream, enum kind kind, record_handler *watch, void *context)
{
	int i = 0;

	while (i < WATCHES_MAX && stream->listeners.current.watches[kind][i].call)
		i++;
	assert(i < WATCHES_MAX); /* one for each layer that keeps state */
	stream->listeners.current.watches[kind][i].call = watch;
	stream->listeners.current.watches[kind][i].context = context;
}

void stream_speller(struct stream *stream, event_speller *speller, void *context)
{
	stream->listeners.current.speller = speller;
	stream->listeners.current.spelling = context;
	if (stream->writer)
		writer_speller(stream->writer, speller, context);
}

void stream_knows(struct stream *stream, bool (*knows)(void *, const struct record *), void *context)
{
	stream->listeners.current.knows = knows;
	stream->listeners.current.knower = context;
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

uint64_t stream_lost_here(const struct stream *stream)
{
	uint64_t lost = stream->lost + stream->damages;

	for (size_t i = 0; i < stream->listeners.hosts.count; i++)
		lost -= i == stream->listeners.number ? 0 : stream->listeners.hosts.items[i].lost;
	return lost;
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
	return (record->kind == KIND_STREAM || record->kind == KIND_HOST) && record->flags & RECORD_MADE_UP;
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

/* Writes a `host` record for the records that follow; the first of a host has all its keys. */
static int write_host(struct stream *stream)
{
	struct stream_host *host = &stream->listeners.hosts.items[stream->listeners.number];
	struct line line = {0};
	int status;

	stream->host = stream->listeners.number;
	stream->written++;
	if (!host->told) {
		host->told = true;
		return writer_line(stream->writer, KIND_HOST, host->line, strlen(host->line), 0);
	}
	line_begin(&line, kind_name(KIND_HOST));
	line_text(&line, "name", host->name);
	status = writer_line(stream->writer, KIND_HOST, line.text, line.length, 0);
	line_free(&line);
	return status;
}

static int settle_output(struct stream *stream, bool swapped)
{
	bool head = !stream->begun;

	stream->begun = stream->settled = true;
	writer_speller(stream->writer, stream->listeners.current.speller, stream->listeners.current.spelling);
	if (head && writer_segment(stream->writer, swapped) < 0)
		return -1;
	return stream->listeners.hosted && stream->host != stream->listeners.number ? write_host(stream) : 0;
}

/* Writes the head of a binary stream and, if the host changes, a `host` record, before the next record. */
static inline int begin_output(struct stream *stream, bool swapped)
{
	return stream->settled ? 0 : settle_output(stream, swapped);
}

static int watches_see_all(struct stream *stream, const struct record *record)
{
	const struct host_listener *listener = &stream->listeners.current;

	for (int i = 0; i < WATCHES_MAX && listener->watches[record->kind][i].call; i++)
		if (listener->watches[record->kind][i].call(listener->watches[record->kind][i].context, record) < 0)
			return -1;
	return 0;
}

static inline int watches_see(struct stream *stream, const struct record *record)
{
	return stream->listeners.current.watches[record->kind][0].call ? watches_see_all(stream, record) : 0;
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
	return begin_output(stream, record->swapped) || writer_record(stream->writer, record) ? -1 : 0;
}

static int write_line(struct stream *stream, enum kind kind, const struct line *line, uint8_t flags)
{
	if (begin_output(stream, false))
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

/* Switches to this listener, and shows its watches the `host` record. */
static int enter(struct stream *stream, size_t number)
{
	const struct stream_host *host = &stream->listeners.hosts.items[number];

	if (number == stream->listeners.number && stream->listeners.hosted)
		return 0;
	host_listeners_enter(&stream->listeners, number);
	stream->settled = false;
	if (!host->line)
		return 0;
	return watches_see(stream, &(struct record){
		.kind = KIND_HOST, .flags = RECORD_MADE_UP, .text = host->line, .length = strlen(host->line)});
}

static bool is_chosen(const struct handlers *handlers)
{
	return handlers->only && *handlers->only;
}

/* Calls the finish handler for each host with records in the segment. */
static int finish(struct stream *stream)
{
	int status = 0;

	if (stream->listeners.hosted)
		stream->handlers = stream->asked;
	if (!stream->handlers || !stream->handlers->finish)
		return 0;
	for (size_t i = 0; i < stream->listeners.hosts.count && status == 0; i++) {
		if (stream->listeners.hosted ? !stream->listeners.hosts.items[i].line : i > 0)
			continue;
		if (i > 0 && is_chosen(stream->asked))
			break;
		status = enter(stream, i);
		if (status == 0)
			status = stream->handlers->finish(stream->listeners.current.context);
	}
	return status;
}

/* Calls the finish handler, then writes the end. */
static int end_output(struct stream *stream)
{
	unsigned cuts = stream->reader ? reader_cuts(stream->reader)->count : 0;
	bool cut = cuts > stream->cuts_told;
	int status = 0;

	if (cut)
		stream_mark_cut(stream);
	status = finish(stream);
	host_listeners_segment_over(&stream->listeners);
	if (status == 0 && stream->writer && !stream->copy_ends)
		status = write_end(stream, 0);
	else if (status == 0 && stream->writer && (cut || !stream->ended))
		status = write_end(stream, cut || stream->damaged ? 0 : RECORD_IMPLIED);
	stream->cuts_told = cuts;
	stream->host = SIZE_MAX;
	free(stream->head);
	stream->head = NULL;
	stream->begun = stream->settled = stream->ended = stream->seen_stream = stream->cut = stream->gaps = stream->damaged = false;
	stream->read = stream->written = stream->segment_lost = 0;
	return status;
}

int stream_next(struct stream *stream, bool swapped)
{
	if (stream->begun && end_output(stream) < 0)
		return -1;
	return stream->writer ? begin_output(stream, swapped) : 0;
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
	host_listeners_free(&stream->listeners);
	free(stream->head);
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

int stream_abandon(struct stream *stream)
{
	char reason[1024];

	snprintf(reason, sizeof(reason), "%s", fail_text());
	stream_close(stream);
	fail("%s", reason);
	return 1;
}

int stream_finish(struct stream *stream, const struct handlers *handlers, void *context)
{
	return stream_run(stream, handlers, context) == 0 ? stream_close(stream) : stream_abandon(stream);
}

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

/* Even a segment without records gets an end; its beginning must be written, or readers take that end for a second end of the last segment. */
static int end_segment(struct stream *stream)
{
	if (stream->behind && !stream->seen_stream && imply_stream(stream) < 0)
		return -1;
	return end_output(stream);
}

static int begin_segment(struct stream *stream)
{
	if (stream->begun || stream->seen || reader_cuts(stream->reader)->count > stream->cuts_told) { /* an empty file was cut */
		if (end_segment(stream) < 0)
			return -1;
		stream->behind = true;
	}
	stream->seen = true;
	return stream->writer ? begin_output(stream, reader_swapped(stream->reader)) : 0;
}

/* The records that follow are of the wanted host, or of another, whose records no handler gets. */
static void choose(struct stream *stream, bool wanted)
{
	static const struct handlers none;

	stream->handlers = wanted ? stream->asked : &none;
	stream->found |= wanted;
}

static int note_stream(struct stream *stream, const struct record *record, const struct fields *fields)
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
	if (is_chosen(stream->asked) && fields_find(fields, "host"))
		choose(stream, fields_is(fields, "host", stream->asked->only));
	if (stream->asked->host || stream->asked->only) {
		free(stream->head);
		stream->head = memory_text(record->text, record->length);
	}
	return 0;
}

/* Makes the `stream` record of the current host, and gives it to the host's watches and handler. */
static int tell_stream(struct stream *stream, const struct fields *host)
{
	record_handler *handler = stream->handlers->on[KIND_STREAM];
	struct fields head = {0};
	struct line line = {0};
	struct record record = {.kind = KIND_STREAM, .flags = RECORD_MADE_UP};
	int status;

	if (stream->head && fields_parse(&head, stream->head, strlen(stream->head)) < 0)
		return stream_fail(stream, "%s", fail_text());
	host_listeners_stream_line(&line, &head, host);
	record.text = line.text;
	record.length = line.length;
	status = watches_see(stream, &record);
	if (status == 0 && handler)
		status = handler(stream->listeners.current.context, &record) < 0 ? -1 : 0;
	line_free(&line);
	return status;
}

/* Switches to the listener of the host whose records follow; makes one if the host is new. */
static int note_host(struct stream *stream, const struct record *record, const struct fields *fields)
{
	char *name = fields_copy(fields, "name");
	void *context = stream->listeners.current.context;
	struct stream_host *host;
	int number, status = 0;

	if (!name || !*name) {
		free(name);
		return stream_fail(stream, "a host record has no name");
	}
	number = host_listeners_find(&stream->listeners, name);
	free(name);
	if (number < 0)
		return stream_fail(stream, "%s", fail_text());
	if (is_chosen(stream->asked))
		choose(stream, number == 0);
	host = &stream->listeners.hosts.items[number];
	if (host->line) {
		status = enter(stream, (size_t)number);
	} else {
		host->line = memory_text(record->text, record->length);
		if (enter(stream, (size_t)number) < 0)
			return -1;
		stream->listeners.hosted = true;
		stream->settled = false;
		if (!stream->listeners.current.context && stream->handlers->host)
			stream->listeners.current.context = stream->handlers->host(context);
		status = stream->listeners.current.context ? tell_stream(stream, fields) : stream->handlers == stream->asked ? -1 : 0;
	}
	return status < 0 ? -1 : 1;
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
	stream->listeners.hosts.items[stream->listeners.number].lost += lost + (damage > 0);
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

/* take_note() of all but events: a function of its own, so that events do not pay for what only other records need. */
static __attribute__((noinline)) int note_other(struct stream *stream, const struct record *record)
{
	const struct fields *fields;

	if (record->kind == KIND_HOST && !stream->asked->hosts && !stream->asked->host && !is_chosen(stream->asked))
		return stream_fail(stream, "it is of several hosts, whose threads and processors this command cannot keep apart; %s",
				   stream->asked->only ? "name one by --host" : "have stream-merge --only=HOST make a stream of one");
	if (record->kind != KIND_STREAM && record->kind != KIND_LOST && record->kind != KIND_END &&
	    (record->kind != KIND_HOST || stream->asked->hosts))
		return 0;
	fields = stream_fields(stream, record);
	if (!fields)
		return -1;
	return record->kind == KIND_STREAM ? note_stream(stream, record, fields)
	       : record->kind == KIND_HOST ? note_host(stream, record, fields)
	       : record->kind == KIND_LOST ? note_lost(stream, fields)
					   : note_end(stream, fields, record->flags);
}

/* Notes losses, hosts and ends for the loop itself. 1: do not dispatch the record; 0: dispatch it; -1 after fail(). */
static inline int take_note(struct stream *stream, const struct record *record)
{
	if (record->kind != KIND_EVENT)
		return note_other(stream, record);
	usage_count_in(&stream->usage, record);
	return 0;
}

/* Counts an event as lost: its format stood in the damaged part, so it cannot be read. */
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
	const struct host_listener *listener = &stream->listeners.current;
	record_handler *handler;
	int verdict;

	if (stream->damaged && record->kind == KIND_EVENT && record->packed && listener->knows && !listener->knows(listener->knower, record))
		return dispatch_unknown(stream, record);
	verdict = take_note(stream, record);

	if (verdict != 0)
		return verdict < 0 ? -1 : 0;
	if (watches_see(stream, record) < 0)
		return -1;
	handler = stream->handlers->on[record->kind];
	verdict = handler ? handler(stream->listeners.current.context, record) : STREAM_PASS;
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

/* Also watches for the end of the output's reader: a filter that has nothing to write would not notice that its reader is gone. */
int stream_await(struct stream *stream, int fd)
{
	int gone;

	do {
		if (stream->handlers && stream->handlers->idle && stream->handlers->idle(stream->listeners.current.context) < 0)
			return -1;
		if (stream_flush(stream) < 0)
			return -1;
		if (stream->paused)
			return 1;
		gone = await_input(fd, stream->out);
	} while (gone < 0);
	stream->unread = gone;
	return gone;
}

static int about_to_wait(void *context, int fd)
{
	return stream_await(context, fd);
}

void stream_pause(struct stream *stream)
{
	stream->paused = true;
}

int stream_run(struct stream *stream, const struct handlers *handlers, void *context)
{
	struct record record;
	enum reader_result result;

	stream->handlers = stream->asked = handlers;
	stream->listeners.current.context = context;
	stream->paused = false;
	if (is_chosen(handlers))
		host_listeners_find(&stream->listeners, handlers->only); /* names the first listener, to which the command attached its parts */
	reader_on_wait(stream->reader, about_to_wait, stream);
	while ((result = reader_next(stream->reader, &record)) > READER_END) {
		if (stream_output_closed(stream))
			return 0;
		if ((result == READER_SEGMENT ? begin_segment(stream) : take_record(stream, &record)) < 0)
			return -1;
		if (stream->paused)
			return 1;
	}
	if (result == READER_FAILED)
		return stream->paused ? 1 : stream->unread ? 0 : -1;
	if (is_chosen(handlers) && !stream->found)
		return fail("no stream is of host '%s'", handlers->only);
	return end_segment(stream);
}
