/*
 * ring: the newest records of a stream, in the order they came, in a bounded room. Entries are copies; nothing is
 * allocated per record. The room that is used begins small and grows only when what is kept does not fit, so that a quiet
 * machine's ring stays in the processor's cache.
 */
#ifndef WINDOW_RING_H
#define WINDOW_RING_H

#include <stdbool.h>

#include "base/memory.h"
#include "stream/record.h"

struct ring;

enum { RING_LEAST = BUFFER_SIZE(1 << 16, 2048) }; /* bytes; less is taken as this */

struct ring *ring_new(size_t bytes);
void ring_free(struct ring *ring);

/* Whether a record of this length fits just now, without dropping an older one. */
bool ring_has_room(struct ring *ring, size_t length);

/* Adds a copy, with a time that for a spelled record was read from its text. It must fit. */
void ring_push(struct ring *ring, const struct record *record, int64_t ts);

bool ring_is_empty(const struct ring *ring);
int64_t ring_oldest_time(const struct ring *ring); /* of a ring that is not empty */

/*
 * The time from which on the events up to `to`, and their losses, have at most so many bytes together, as record_size() counts;
 * looks at each of them.
 */
int64_t ring_reach(const struct ring *ring, int64_t to, uint64_t bytes);

/* The oldest record, valid until the next push; the ring must not be empty. */
void ring_oldest(const struct ring *ring, struct record *record);
void ring_drop(struct ring *ring);

#endif
