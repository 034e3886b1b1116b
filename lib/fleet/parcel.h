/*
 * parcel: a message from a machine to the hub: one run, moments, or a sentence of the machine's: a stream of text, compressed by zstd.
 * Parcels from a machine are hostile: parcel_open() takes nothing for a run or for moments that another command would refuse.
 */
#ifndef FLEET_PARCEL_H
#define FLEET_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARCEL_MOST = 1 << 20, PARCEL_TEXT_MOST = 8 << 20 }; /* bytes of a message, and of its text */

/*
 * Features and settings of a run. Each takes the commands that read runs 400 bytes, whereas a few bytes of a message make one. All settings net.*
 * of a machine are 1,080, and 95 more for each further interface.
 */
enum { PARCEL_VALUES_MOST = 16384 };

struct parcel {
	char *text; /* with NUL behind it: `run` and the records about it, or a `told` line; each line ends with a newline */
	size_t length;
	char *id, *job, *node; /* node and job may be "" */
	char *told;	       /* a sentence, fit for a terminal; NULL: it is a run, or moments */
	bool moments;	       /* an excerpt (fleet/excerpt.h), with its `stream` and `end` records */
	int64_t from;	       /* of moments: when the first began, ns since 1970; INT64_MIN: not known */
};

/* Compresses records of text, a line each, into what the caller frees. 0; -1 after fail(): they are too many. */
int parcel_pack(const char *text, size_t length, char **bytes, size_t *size);

/*
 * Unpacks and checks: 0; -1 after fail(). It is one run with its features and settings, each once and none NaN; one `told` record; or one
 * excerpt. The `stream` and `end` records of a run are left out; so is whatever may not be in an excerpt, of an excerpt.
 */
int parcel_open(struct parcel *parcel, const char *bytes, size_t size);
void parcel_free(struct parcel *parcel);

/* Its subject when `sender` sends it, which the caller frees. */
char *parcel_subject(const struct parcel *parcel, const char *sender);

#endif
