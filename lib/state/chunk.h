/*
 * chunk: up to CHUNK_INTERVALS successive intervals of one attribute in a row of a history file. Each is two varints (LEB128): its duration in
 * ns, and its value:
 *
 *	0		null
 *	1		a large number: a third varint has it in zigzag
 *	2 + 2 t		the text with number t
 *	3 + 2 z		the number z in zigzag
 */
#ifndef STATE_CHUNK_H
#define STATE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_INTERVALS = 128, CHUNK_INTERVAL_ROOM = 30 /* bytes of the longest interval */ };

/* A value as a history has it. */
struct chunk_value {
	enum { CHUNK_NULL, CHUNK_TEXT, CHUNK_NUMBER } kind;
	int64_t number; /* of a text: its number, from 1 */
};

struct chunk_interval {
	int64_t duration; /* ns, above 0 */
	struct chunk_value value;
};

/* Writes one behind `data`, which has CHUNK_INTERVAL_ROOM left; returns its bytes. */
size_t chunk_put(unsigned char *data, const struct chunk_interval *interval);

/* Reads one at *at; moves *at behind it. False: there is none, as the bytes are wrong or over. */
bool chunk_get(const unsigned char **at, const unsigned char *end, struct chunk_interval *interval);

/* Moves *at and *from, when the interval there begins, over all intervals that end by `until`. False: the bytes are wrong. */
bool chunk_seek(const unsigned char **at, const unsigned char *end, int64_t *from, int64_t until);

#endif
