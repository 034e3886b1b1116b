/*
 * parcel: a message from a machine to the hub: one run, moments, or a sentence. It is a stream of text, compressed by zstd.
 * Parcels from a machine may be hostile: parcel_open() accepts no run and no moments that another command would refuse.
 */
#ifndef FLEET_PARCEL_H
#define FLEET_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARCEL_MOST = 1 << 20, PARCEL_TEXT_MOST = 8 << 20 }; /* bytes of a message, and of its text */

/*
 * The most features and settings of a run. Each costs the commands that read runs 400 bytes, but only a few bytes in a message. A machine has 1,080
 * settings net.*, and 95 more for each further interface.
 */
enum { PARCEL_VALUES_MOST = 16384 };

struct parcel {
	char *text; /* a `run` record and the records about it, or a `told` record, or an excerpt; a line each, with newlines, and a NUL at the end */
	size_t length;
	char *id, *job, *node; /* node and job may be "" */
	char *told;	       /* a sentence, cleaned for a terminal; NULL: it is a run, or moments */
	bool moments;	       /* it is an excerpt (fleet/excerpt.h), with its `stream` and `end` records */
	int64_t from;	       /* of moments: the start of the first, ns since 1970; INT64_MIN: unknown */
};

/* Compresses records of text, a line each, into *bytes, which the caller frees. Returns 0; -1 after fail(): they are too large. */
int parcel_pack(const char *text, size_t length, char **bytes, size_t *size);

/*
 * Unpacks and checks a parcel. Returns 0; -1 after fail(). A parcel must be one run with its features and settings, each once and none NaN; one
 * `told` record; or one excerpt. It drops the `stream` and `end` records of a run, and keys that an excerpt may not have.
 */
int parcel_open(struct parcel *parcel, const char *bytes, size_t size);
void parcel_free(struct parcel *parcel);

/* The subject of the parcel if `sender` sends it, which the caller frees. */
char *parcel_subject(const struct parcel *parcel, const char *sender);

#endif
