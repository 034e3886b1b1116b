/*
 * reader_state: a reader from within. Private to reader.c, which makes records, reader_block.c, which checks what they are made of,
 * and reader_file.c, which gets it the bytes.
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
	bool blocks;	   /* it is of blocks, and these are of the one at hand: */
	bool unchecked;	   /* it was cut, so its checksum tells nothing */
	size_t left;	   /* bytes of it, all of them in the buffer */
	uint32_t number;   /* of the next one */
	bool headless;	   /* a stream begins with it, whose own head was damaged */
	bool damaged;	   /* the segment was, somewhere */
	bool gap;	   /* damage was found that is not told yet: */
	uint64_t lost;	   /* so many bytes */
	int64_t last;	   /* time of the last event, TIME_UNKNOWN: there was none */
	struct line loss;  /* the record that tells of it */
	struct fields fields;
	struct cuts cuts;
	char *where; /* the name of a place, until the next */
	int (*wait)(void *context, int fd);
	void *context;
};

#define TIME_UNKNOWN INT64_MIN
#define STANDARD_INPUT "standard input" /* the name of "-" */

/* Opens the next file, and closes the one before. 1: it did; 0: there is no other; -1 after fail(). */
int reader_open_next(struct reader *reader);

/* Reads more behind what is there. 1: got some; 0: end of file; -1 after fail(). */
int reader_fill(struct reader *reader);

/* What stands where a block should begin. */
enum found { FOUND_FAILED = -1, FOUND_END, FOUND_BLOCK, FOUND_STREAM, FOUND_DAMAGE };

/*
 * Goes to the next block, and makes all of it available. FOUND_END: the file ends, perhaps within a block's head; FOUND_STREAM: a magic
 * number stands there; FOUND_DAMAGE: something was left out, so look again.
 */
enum found reader_find_block(struct reader *reader);

/* The record that tells of the damage before what was found. */
void reader_tell_damage(struct reader *reader, struct record *record);

#define TEXT_BEHIND_BINARY "text cannot stand behind binary in the same file; give it as a file of its own"
bool reader_is_at_text(const struct reader *reader); /* by the 8 bytes that stand there */

/* Makes `size` bytes of the record at hand available. 1: they are; 0: the file ends before; -1 after fail(). */
static inline int reader_need(struct reader *reader, size_t size)
{
	int status = 1;

	while (status > 0 && reader->length - reader->start < size)
		status = reader_fill(reader);
	return status;
}

#endif
