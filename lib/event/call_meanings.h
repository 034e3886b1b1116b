/*
 * call_meanings: what it means that a thread is in a system call, or that the call fails. The list is charts/formats/waits.calls, which explains
 * its lines.
 */
#ifndef EVENT_CALL_MEANINGS_H
#define EVENT_CALL_MEANINGS_H

#include <stdbool.h>
#include <stdint.h>

/* The first word of a line, in the order of the list's comment. */
enum call_meaning {
	CALL_MEANS_MANY,
	CALL_MEANS_CHILDREN,
	CALL_MEANS_RECEIVES,
	CALL_MEANS_SENDS,
	CALL_MEANS_ASKS,
	CALL_MEANS_CLOSES,
	CALL_MEANS_FAILS,
	CALL_MEANS_EXISTS,
	CALL_MEANINGS
};

struct call_meanings;

/* The list, which is not to be freed. It is read once, because a confined process can read no files. NULL after fail(): it cannot be read. */
const struct call_meanings *call_meanings_shipped(void);

/* Tells whether the call has this meaning. For MANY, FAILS and EXISTS use the functions below. */
bool call_means(const struct call_meanings *meanings, enum call_meaning meaning, const char *call);

/* Tells whether the call waits for any of many events. `object`: the kind of the call's file, NULL if it has none. */
bool call_waits_for_many(const struct call_meanings *meanings, const char *call, const char *object);

/*
 * Tells whether the result says that somebody else has what the call tries to get. If so, sets *exists, unless `exists` is NULL: true if the thing
 * only exists already, which may be all that the call's thread wants.
 */
bool call_fails(const struct call_meanings *meanings, const char *call, int64_t result, bool *exists);

#endif
