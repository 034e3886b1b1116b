/*
 * output: writes a command's own records, and sets where its stream (stream/stream.h) goes.
 */
#ifndef STREAM_OUTPUT_H
#define STREAM_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/line.h"
#include "stream/record.h"

struct stream;

/* Sets the output's descriptor, and text or binary. A terminal always gets text. */
void stream_output(struct stream *stream, int fd, bool text);

/*
 * Makes binary output go to a function, not to the descriptor, in pieces of whole blocks (the first begins with the stream's head).
 * `events`: all records of the piece are packed events. The function returns 0; -1 after fail().
 */
typedef int stream_sink(void *context, const char *bytes, size_t length, bool events);
void stream_output_to(struct stream *stream, stream_sink *sink, void *context);

/* For a command that writes its own output to `fd`: the loop ends when the reader of that pipe is gone. */
void stream_ends_with(struct stream *stream, int fd);

/* Write one of the command's own records at the current place in the output: 0; -1 after fail(). Without output they write nothing. */
int stream_write_line(struct stream *stream, const struct line *line);
int stream_write_record(struct stream *stream, const struct record *record);
int stream_flush(struct stream *stream);
bool stream_output_closed(const struct stream *stream); /* the reader of our output is gone */

/* The function that spells packed events; the event layer installs it. Without it packed events cannot be printed. */
typedef int event_speller(void *context, const struct record *record, struct line *line);
void stream_speller(struct stream *stream, event_speller *speller, void *context);

/*
 * For a stream without input: ends the current stream, if it has any records, with usage and end records, and begins another
 * after it. `swapped`: events of the new stream have the other byte order. 0; -1 after fail().
 */
int stream_next(struct stream *stream, bool swapped);

/*
 * For a stream without input, before a read of `fd` that would block: flushes output and waits. 0: `fd` is readable; 1: the reader
 * of our output is gone (stream_output_closed()); -1 after fail().
 */
int stream_await(struct stream *stream, int fd);

/*
 * Makes the stream write a `usage` record before its end: events read and kept, bytes, CPU time. `command` is the command's name in
 * the suite, whatever name it is installed under; report(1) reads it.
 */
void stream_report_usage(struct stream *stream, const char *command);

/* Sets the number of events traced, for the `usage` record, if not all came into the stream. */
void stream_report_traced(struct stream *stream, uint64_t events);

/* For a command that only copies: keeps `end` records as they are, and adds one only if the input lacks it, was cut or is damaged. */
void stream_copy_ends(struct stream *stream);

#endif
