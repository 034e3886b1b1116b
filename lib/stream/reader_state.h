/*
 * reader_state: the inside of struct reader. Private to reader_file.c, which reads bytes, reader_block.c, which checks blocks, and
 * reader.c, which makes records.
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
	size_t room, start, length; /* start: the current record; length: bytes filled */
	uint64_t offset;	    /* of buffer[0] in the file */
	uint64_t at, line;	    /* of the current record: offset; line number in text */
	bool text, swapped, fresh;  /* fresh: nothing of this file was read yet */
	bool open, ended;	    /* within a binary segment; its end record came */
	bool parsed;
	bool blocks;	   /* the segment has blocks; the next fields are of the current block */
	bool unchecked;	   /* the block was cut, so its checksum is not checked */
	size_t left;	   /* bytes of the block not read yet, all in the buffer */
	uint32_t number;   /* of the next block */
	bool headless;	   /* the block is the first of a stream whose head was damaged */
	bool damaged;	   /* the segment has damage */
	bool gap;	   /* damage was found and is not reported yet: */
	uint64_t lost;	   /* its bytes */
	int64_t last;	   /* time of the last event; TIME_UNKNOWN: none yet */
	struct line loss;  /* the `lost` record that reports the damage */
	struct fields fields;
	struct cuts cuts;
	char *where; /* text of reader_place_name() */
	int (*wait)(void *context, int fd);
	void *context;
};

#define TIME_UNKNOWN INT64_MIN
#define STANDARD_INPUT "standard input" /* the name of "-" */

/* Opens the next file, and closes the one before. 1; 0: there is no other; -1 after fail(). */
int reader_open_next(struct reader *reader);

/* Reads more bytes into the buffer. 1: got some; 0: end of file; -1 after fail(). */
int reader_fill(struct reader *reader);

/* Result of reader_find_block(). */
enum found { FOUND_FAILED = -1, FOUND_END, FOUND_BLOCK, FOUND_STREAM, FOUND_DAMAGE };

/*
 * Goes to the next block and reads all of it. FOUND_END: the file ends, perhaps within a block's head; FOUND_STREAM: another stream
 * begins here; FOUND_DAMAGE: it skipped damaged bytes, so call it again.
 */
enum found reader_find_block(struct reader *reader);

/* Makes the `lost` record for the damage that was skipped. */
void reader_tell_damage(struct reader *reader, struct record *record);

#define TEXT_BEHIND_BINARY "text cannot stand behind binary in the same file; give it as a file of its own"
bool reader_is_at_text(const struct reader *reader); /* judges the next 8 bytes */

/* Reads until `size` bytes of the current record are in the buffer. 1; 0: the file ends before; -1 after fail(). */
static inline int reader_need(struct reader *reader, size_t size)
{
	int status = 1;

	while (status > 0 && reader->length - reader->start < size)
		status = reader_fill(reader);
	return status;
}

#endif
