/*
 * reader_state: a reader from within. Private to reader.c, which makes records, and reader_file.c, which gets it the bytes.
 */
#ifndef STREAM_READER_STATE_H
#define STREAM_READER_STATE_H

#include "stream/reader.h"

struct reader {
	char *const *files;
	int count, next; /* files, and the one to open next */
	const char *name;
	int fd;
	char *buffer;
	size_t room, start, length; /* start: the record at hand; length: bytes that are filled */
	uint64_t offset;	    /* of buffer[0] in the file */
	uint64_t at, line;	    /* of the record at hand: offset; line number in text */
	bool text, swapped, fresh;  /* fresh: nothing of this file was looked at yet */
	bool open, ended;	    /* a binary segment is under way; its end record was seen */
	bool parsed;
	struct fields fields;
	struct cuts cuts;
	char *where; /* the name of a place, until the next */
	int (*wait)(void *context, int fd);
	void *context;
};

#define STANDARD_INPUT "standard input" /* the name of "-" */

/* Opens the next file, and closes the one before. 1: it did; 0: there is no other; -1 after fail(). */
int reader_open_next(struct reader *reader);

/* Reads more behind what is there. 1: got some; 0: end of file; -1 after fail(). */
int reader_fill(struct reader *reader);

/* Makes `size` bytes of the record at hand available. 1: they are; 0: the file ends before; -1 after fail(). */
static inline int reader_need(struct reader *reader, size_t size)
{
	int status = 1;

	while (status > 0 && reader->length - reader->start < size)
		status = reader_fill(reader);
	return status;
}

#endif
