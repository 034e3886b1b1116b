/*
 * reader: records out of files and pipes, one after the other. Used by the loop in loop.c, and where records come as
 * answers, beside the stream (window/recall.h).
 *
 * Binary and text are told apart where an input begins and where a magic number stands; each magic number, and each file,
 * begins a segment, a stream of its own. It may stand within the last record of one that was cut; that is no record then.
 * Memory: one buffer of the size of the largest record.
 */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "stream/cuts.h"
#include "stream/line.h"
#include "stream/record.h"

struct reader;

/* What reader_next() came upon. */
enum reader_result { READER_FAILED = -1, READER_END = 0, READER_RECORD = 1, READER_SEGMENT = 2 /* a stream begins */ };

struct reader *reader_open(char *const *files, int count); /* NULL after fail() */
struct reader *reader_attach(int fd, const char *name); /* what is open already; its reader closes it */
void reader_close(struct reader *reader);

/* Called before a read of `fd` that would block; what it returns other than 0 ends the reading. */
void reader_on_wait(struct reader *reader, int (*wait)(void *context, int fd), void *context);

enum reader_result reader_next(struct reader *reader, struct record *record);

/* Whether the numbers of the segment at hand are in the other byte order than ours. */
bool reader_swapped(const struct reader *reader);

/* Says that the segment's `end` record was seen, and how many of the records that it counts were not. */
void reader_saw_end(struct reader *reader, uint64_t missing);

/* Inputs that stopped without their end, or lack records, so far. */
const struct cuts *reader_cuts(const struct reader *reader);

/* The fields of the record at hand; NULL after fail(). Valid until the next record. */
const struct fields *reader_fields(struct reader *reader, const struct record *record);

/* Where the record at hand stands, to be kept; and its name, "NAME:LINE" or "NAME: byte N", valid until the next such call. */
uint64_t reader_place(const struct reader *reader); /* never 0 */
const char *reader_place_name(struct reader *reader, uint64_t place);
#define reader_where(reader) reader_place_name(reader, reader_place(reader))

#endif
