/*
 * block: the checksums of a binary stream. Blocks follow the stream's head; each is a head and whole records. The head has one
 * checksum of itself, so that a damaged length misleads nobody, and one of the records. Private to reader and writer.
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
	uint32_t size;	  /* bytes of records in the block; a record larger than BLOCK_SIZE has a block of its own */
	uint32_t number;  /* from 0 in each stream */
	uint64_t records; /* checksum of the records */
	uint64_t head;	  /* checksum of the fields above */
};

enum {
	BLOCK_HEAD_SIZE = sizeof(struct block_head),
	BLOCK_SIZE = 1 << 15, /* bytes of records: what one flipped bit costs */
};

/* Writes the head at `at`, before `size` bytes of records. `swapped`: in the other byte order. */
void block_seal(char *at, size_t size, uint32_t number, bool swapped);

/* Reads BLOCK_HEAD_SIZE bytes; false: they are not the head of a block, or it is damaged. */
bool block_read_head(const char *at, bool swapped, struct block_head *head);

/* Tells whether the records match the head's checksum. */
bool block_is_whole(const char *records, const struct block_head *head);

/* The next head of a block or of a stream within these bytes; NULL: none. */
const char *block_search(const char *bytes, size_t length, bool swapped);

#endif
