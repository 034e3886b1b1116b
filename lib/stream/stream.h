/*
 * stream: the loop that makes ten commands feel like one program. A command hands it a callback for each kind of
 * record that it cares for; all other records are passed on unchanged and in order.
 *
 *	struct stream *s = stream_open(files, count);
 *	stream_output(s, 1, text);			not for a command that writes no records
 *	struct handlers h = {.on[KIND_SIGNAL] = signal_seen, .finish = all_read};
 *	status = stream_finish(s, &h, ctx);
 *	if (status && *fail_text())
 *		warn("%s", fail_text());
 *
 * Input is binary or text, told apart by the first bytes, from each file in turn ("-" or no file: standard input). Each file
 * is a stream of its own; where one behind another has no `stream` record, the loop makes up an empty one.
 * Before a read that would block, output is flushed and `idle` is called, so a live pipe shows what it knows at once.
 * The loop checks each `end` record, and in binary that as many records came as it says; it writes the command's own `end` when all input is read.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "stream/line.h"
#include "stream/record.h"

struct stream;

enum { STREAM_PASS = 0, STREAM_DROP = 1 }; /* what a handler returns; or -1 after fail() */

typedef int record_handler(void *context, const struct record *record);

struct handlers {
	record_handler *on[KINDS];
	int (*idle)(void *context);   /* about to wait for input; 0, or -1 after fail() */
	int (*finish)(void *context); /* a stream is over, the last chance to write; 0, or -1 after fail(). Called at the
					 end of input, and where the next of several concatenated streams begins */
};

/*
 * For a stream without input: ends the stream at hand, if anything was written to it, with usage and end records, and
 * begins another, behind it. `swapped`: its events come in the other byte order. -1 after fail().
 */
int stream_next(struct stream *stream, bool swapped);

/* Opens the first input; NULL after fail(). `files` must stay. */
struct stream *stream_open(char *const *files, int count);

/* A stream without input, for the command that makes records: output, write, close. Watches see what it writes. */
struct stream *stream_create(void);

/* Sets where records go. `text`: spelled, else binary; binary to a terminal becomes text. */
void stream_output(struct stream *stream, int fd, bool text);

/* Where what is made of the input goes, for a command that writes it itself: the loop ends when nobody reads that pipe any more. */
void stream_ends_with(struct stream *stream, int fd);

/*
 * Calls the handlers for every record. Returns 0 at the end of all input; -1 after fail(), whose sentence then names
 * the file and the line or byte offset if the input was wrong. A reader that closed our output ends the loop with 0, even while no input comes.
 */
int stream_run(struct stream *stream, const struct handlers *handlers, void *context);

/*
 * For a stream whose input is read by somebody else, before a read of `fd` that would block: flushes and waits. 1: nobody reads our
 * output any more (stream_output_closed()); 0: there is input; -1 after fail().
 */
int stream_await(struct stream *stream, int fd);

/*
 * Ends: flush, close, free; for a stream without input, usage and end records before that. Returns the exit status so
 * far: 0; 1 after fail() if the output could not be written; 3 if the data were incomplete (stream_incomplete). With 3,
 * fail_text() names the place where our own input was cut, or is "" where an earlier stage has said all there is to say.
 */
int stream_close(struct stream *stream);

/* Runs and closes: what most commands do. Returns the exit status; what is worth a message is in fail_text(), or "". */
int stream_finish(struct stream *stream, const struct handlers *handlers, void *context);

/* A second pair of eyes: called for each record of this kind before the handler, by layers that keep state. */
void stream_watch(struct stream *stream, enum kind kind, record_handler *watch, void *context);

/* How packed events become text; the event layer installs it. Without it packed events cannot be printed. */
typedef int event_speller(void *context, const struct record *record, struct line *line);
void stream_speller(struct stream *stream, event_speller *speller, void *context);

/*
 * Whether the format of a packed event is known; the event layer installs it. Behind damage, events of which it is not known are lost,
 * and told so; elsewhere one without a format is an error.
 */
void stream_knows(struct stream *stream, bool (*knows)(void *context, const struct record *event), void *context);

/* Records of one's own, at this place of the output. Return 0; -1 after fail(). Without output they do nothing. */
int stream_write_line(struct stream *stream, const struct line *line);
int stream_write_record(struct stream *stream, const struct record *record);
int stream_flush(struct stream *stream);

/* The fields of a spelled record, cut on the first call for each record; NULL after fail() (malformed, packed). */
const struct fields *stream_fields(struct stream *stream, const struct record *record);

/* Fails with "NAME:LINE: sentence" or "NAME: byte N: sentence" for the record at hand; returns -1. */
int stream_fail(struct stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where the record at hand stands, to be named later: "NAME:LINE" or "NAME: byte N", valid until the next such call. */
uint64_t stream_place(const struct stream *stream); /* never 0 where there is input */
const char *stream_place_name(struct stream *stream, uint64_t place);

/* Marks the data incomplete (exit status 3), which `end` tells the commands behind; lost or cut, the loop sees itself. */
void stream_mark_incomplete(struct stream *stream);
void stream_mark_cut(struct stream *stream); /* the same, for what it was made from lacks its end: its `end` says so */
bool stream_incomplete(const struct stream *stream);
bool stream_was_cut(const struct stream *stream);      /* an input lacked its end, or an earlier stage said so */
bool stream_was_missing(const struct stream *stream);  /* it was cut before its first record: nothing came at all */
void stream_count_lost(struct stream *stream, uint64_t count); /* the loop counts those that it reads itself */
void stream_count_aside(struct stream *stream, const struct record *record); /* an event or loss that came another way */
uint64_t stream_lost(const struct stream *stream);     /* events lost, by the `lost` and `end` records seen */
uint64_t stream_damages(const struct stream *stream);  /* places where bytes of the stream were damaged, by the `lost` records seen */
bool stream_output_closed(const struct stream *stream); /* our reader is gone */

/*
 * Writes a `usage` record before the end: events read and kept, bytes, CPU time. For the stages that cost. `command` is its name in the
 * suite, whatever it is installed as: who reads the record goes by it.
 */
void stream_report_usage(struct stream *stream, const char *command);

/* How many events were traced, if not all of them came into the stream; for the `usage` record. */
void stream_report_traced(struct stream *stream, uint64_t events);

/* Keep `end` records as they came and write none of one's own, but where the input was cut: for a command that only copies. */
void stream_copy_ends(struct stream *stream);

#endif
