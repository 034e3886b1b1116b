/*
 * merge: the events of all rings as one sequence in the order of time.
 *
 * An event may be taken once no ring can still come up with an earlier one. A ring that was dry at a time T has
 * nothing from before T to give, so a round takes what is older than a bound a little before the round's own begin:
 *
 *	merge_begin(merge, bound);
 *	while ((status = merge_next(merge, &ring)) > 0)
 *		... the event that the ring stands at ...
 *
 * Each ring holds one page in memory, whatever the kernel has; a round ends, however fast events come. An event costs
 * the logarithm of the number of rings. Of events of the same time, that of the ring that was added first comes first.
 */
#ifndef SOURCE_MERGE_H
#define SOURCE_MERGE_H

#include <stdbool.h>

#include "source/ring.h"

struct merge_place { /* private */
	int64_t ts; /* of the event that the ring stands at */
	struct ring *ring;
};

struct merge {
	struct ring *rings;
	int count;
	/* private */
	struct merge_place *heap; /* the rings that stand at an event, earliest first */
	int heaped;
	bool taken; /* heap[0] stands at an event that was handed out */
	bool new_gap;
	int64_t bound;
};

/* Adds the rings of all existing CPUs to the merge. An all-zero merge has no rings. -1 after fail(). */
int merge_open(struct merge *merge, struct tracefs_instance *instance);

/* Adds a ring of another kind, which the merge then owns. Not within a round. */
void merge_add(struct merge *merge, const struct ring *ring);

/* Moves the rings from number `first` on, as they stand, to `other`, which has none. Not within a round. */
void merge_part(struct merge *merge, int first, struct merge *other);
void merge_close(struct merge *merge);

/* How many events were written to its rings so far. */
uint64_t merge_traced(const struct merge *merge);

/* Starts a round: looks at each dry ring again, and will hand out events before the bound. -1 after fail(). */
int merge_begin(struct merge *merge, int64_t bound);

/* Tells whether a ring stands behind a gap that began before this time: events before it may be lost, and no `lost` record says so yet. */
bool merge_hides_gap(const struct merge *merge, int64_t ts);

/*
 * Hands out, one a call, the rings that have newly come to stand behind a gap. So a gap is known before the events of other CPUs that are newer
 * than its begin. NULL: there is none.
 */
const struct ring *merge_next_gap(struct merge *merge);

/* The ring that stands at the next event; it may be used until the next call. 1; 0: round over; -1 after fail(). */
int merge_next(struct merge *merge, struct ring **ring);

#endif
