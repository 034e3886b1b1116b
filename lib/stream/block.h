/*
 * block: what a binary stream is checked by. Behind the stream's head stand blocks: a head, and whole records. The head has a
 * checksum of its own, so that a damaged length misleads nobody, and one of the records. Private to reader and writer.
 *
 * The checksum is XXH3 (64 bits): it runs at the speed of memory. It finds damage, not forgery.
 */
#ifndef STREAM_BLOCK_H
#define STREAM_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "stream/record.h"

#define BLOCK_MAGIC "\212block\r\n"

struct block_head {
	char magic[STREAM_MAGIC_SIZE];
	uint32_t size;	  /* of the records behind it; one that is larger than a block has one for itself */
	uint32_t number;  /* from 0 in each stream */
	uint64_t records; /* their checksum */
	uint64_t head;	  /* that of what stands before it */
};

enum {
	BLOCK_HEAD_SIZE = sizeof(struct block_head),
	BLOCK_SIZE = BUFFER_SIZE(1 << 15, 256), /* of records, where none is larger: what one bit that changes costs */
};

/* Makes the head at `at`, before `size` bytes of records. `swapped`: its numbers are in the other byte order. */
void block_seal(char *at, size_t size, uint32_t number, bool swapped);

/* Reads BLOCK_HEAD_SIZE bytes; false: they are not the head of a block, or it is damaged. */
bool block_read_head(const char *at, bool swapped, struct block_head *head);

/* Whether the records behind the head are those that were written. */
bool block_is_whole(const char *records, const struct block_head *head);

/* Where the next head of a block, or of a stream, begins within these bytes; NULL: nowhere. */
const char *block_search(const char *bytes, size_t length, bool swapped);

#endif
