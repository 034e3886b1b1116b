/*
 * writer: records to a file descriptor, binary or spelled. Used by stream.c only; a command has stream_write_*().
 *
 * Bytes are collected and written in large pieces; writer_flush() writes what is there. A reader that closed its end
 * is no error: the writer says so in writer_closed() and swallows the rest.
 */
#ifndef STREAM_WRITER_H
#define STREAM_WRITER_H

#include "stream/stream.h"

struct writer;

struct writer *writer_open(int fd, bool text);
int writer_close(struct writer *writer); /* flushes and frees; -1 after fail() */
void writer_speller(struct writer *writer, event_speller *speller, void *context);

/* Begins a stream: a binary one gets its magic number, in the other byte order where its events are. */
int writer_segment(struct writer *writer, bool swapped);

int writer_record(struct writer *writer, const struct record *record);
int writer_line(struct writer *writer, enum kind kind, const char *line, size_t length, uint8_t flags);
int writer_flush(struct writer *writer);

bool writer_closed(const struct writer *writer);
bool writer_is_text(const struct writer *writer);

#endif
