/*
 * chunk: up to CHUNK_INTERVALS successive intervals of one attribute in a row of a history file. An interval is two varints (LEB128): its
 * duration in ns, and its value:
 *
 *	0		null
 *	1		a large number, in zigzag in a third varint
 *	2 + 2 t		the text with number t
 *	3 + 2 z		the number z in zigzag
 */
#ifndef STATE_CHUNK_H
#define STATE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_INTERVALS = 128, CHUNK_INTERVAL_ROOM = 30 /* bytes of the longest interval */ };

/* A value as a history file stores it. */
struct chunk_value {
	enum { CHUNK_NULL, CHUNK_TEXT, CHUNK_NUMBER } kind;
	int64_t number; /* of a text: its id in the table of texts, from 1 */
};

struct chunk_interval {
	int64_t duration; /* ns, above 0 */
	struct chunk_value value;
};

/* Writes an interval to `data`, which must have room for CHUNK_INTERVAL_ROOM bytes. Returns its length in bytes. */
size_t chunk_put(unsigned char *data, const struct chunk_interval *interval);

/* Reads the interval at *at and moves *at past it. False: the bytes are wrong or end too early. */
bool chunk_get(const unsigned char **at, const unsigned char *end, struct chunk_interval *interval);

/* Skips the intervals that end by `until`: moves *at, and *from, the time at which the interval at *at begins. False: the bytes are wrong. */
bool chunk_seek(const unsigned char **at, const unsigned char *end, int64_t *from, int64_t until);

#endif
