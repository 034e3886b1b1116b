/*
 * writer: writes records to a file descriptor, binary or spelled. Used by stream.c only; commands call stream_write_*().
 *
 * The writer collects bytes and writes them in large pieces, or on writer_flush(). If the reader of a pipe is gone, that is no
 * error: writer_closed() becomes true, and further records are dropped.
 */
#ifndef STREAM_WRITER_H
#define STREAM_WRITER_H

#include "stream/output.h"

struct writer;

struct writer *writer_open(int fd, bool text);
int writer_close(struct writer *writer); /* flushes and frees; -1 after fail() */
void writer_speller(struct writer *writer, event_speller *speller, void *context);

void writer_sink(struct writer *writer, stream_sink *sink, void *context);

/* Begins a stream; a binary one gets its head. `swapped`: in the other byte order, as its events are. */
int writer_segment(struct writer *writer, bool swapped);

int writer_record(struct writer *writer, const struct record *record);
int writer_line(struct writer *writer, enum kind kind, const char *line, size_t length, uint8_t flags);
int writer_flush(struct writer *writer);

bool writer_closed(const struct writer *writer);
bool writer_is_text(const struct writer *writer);

#endif
