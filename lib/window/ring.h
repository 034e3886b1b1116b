/*
 * ring: keeps copies of the newest records of a stream, in the order they came, in bounded memory. It allocates nothing per
 * record. It begins with little memory and grows only if the records kept do not fit, so that a quiet machine's ring stays in
 * the processor's cache.
 */
#ifndef WINDOW_RING_H
#define WINDOW_RING_H

#include <stdbool.h>

#include "base/memory.h"
#include "stream/record.h"

struct context_ring;

enum { RING_LEAST = 1 << 16 }; /* bytes; the least size of a ring */

struct context_ring *ring_new(size_t bytes);
void ring_free(struct context_ring *ring);

/* Tells whether a record of this length fits without dropping an older one; may move the memory. */
bool ring_has_room(struct context_ring *ring, size_t length);

/* Adds a copy with its time. It must fit. */
void ring_push(struct context_ring *ring, const struct record *record, int64_t ts);

bool ring_is_empty(const struct context_ring *ring);
int64_t ring_oldest_time(const struct context_ring *ring); /* the ring must not be empty */

/*
 * The time from which on the events and losses up to `to` have at most `bytes` together, by record_size(). Looks at each of them, so
 * call it rarely.
 */
int64_t ring_reach(const struct context_ring *ring, int64_t to, uint64_t bytes);

/* The oldest record, valid until the next push or question for room; the ring must not be empty. */
void ring_oldest(const struct context_ring *ring, struct record *record);
void ring_drop(struct context_ring *ring);

#endif
