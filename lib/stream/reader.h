/*
 * reader: reads records from files and pipes, one after the other. Used by stream.c, and by window/recall.c for the answers of a
 * recorder.
 *
 * The reader tells binary from text at the beginning of an input and at each magic number. Each magic number and each file
 * begins a segment: a stream of its own. A magic number may stand within the last record of a stream that was cut; the reader
 * then drops that record. Memory: one buffer of the size of the largest record.
 */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "stream/cuts.h"
#include "stream/fields.h"
#include "stream/line.h"
#include "stream/record.h"

struct reader;

enum reader_result { READER_FAILED = -1, READER_END = 0, READER_RECORD = 1, READER_SEGMENT = 2 /* a stream begins */ };

struct reader *reader_open(char *const *files, int count); /* NULL after fail() */
struct reader *reader_attach(int fd, const char *name); /* an open descriptor; reader_close() closes it */
void reader_close(struct reader *reader);

/* Makes the reader call wait() before a read of `fd` that would block; if wait() returns other than 0, reading ends. */
void reader_on_wait(struct reader *reader, int (*wait)(void *context, int fd), void *context);

enum reader_result reader_next(struct reader *reader, struct record *record);

/* Tells whether the current segment has the other byte order than this machine. */
bool reader_swapped(const struct reader *reader);

/* Tells the reader that the segment's `end` record came, and how many of the records that it counts are missing. */
void reader_saw_end(struct reader *reader, uint64_t missing);

/* The inputs so far that stopped without their end or lack records. */
const struct cuts *reader_cuts(const struct reader *reader);

/* The fields of the current record; NULL after fail(). Valid until the next record. */
const struct fields *reader_fields(struct reader *reader, const struct record *record);

/* The place of the current record, to be kept; and a place's name, "NAME:LINE" or "NAME: byte N", valid until the next such call. */
uint64_t reader_place(const struct reader *reader); /* never 0 */
const char *reader_place_name(struct reader *reader, uint64_t place);
#define reader_where(reader) reader_place_name(reader, reader_place(reader))

#endif
