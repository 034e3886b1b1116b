/*
 * ring: the kernel's ring buffer of one CPU, read event by event without ever waiting; or a copy of one in a file
 * (import/tracedat.h).
 *
 * The ring stands at one event, or is dry: the kernel had no more. Events of one ring come in the order of time. What
 * the kernel overwrote before it was read shows up as `missed` at the event that follows the gap.
 */
#ifndef SOURCE_RING_H
#define SOURCE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <tracefs.h>

#include "source/page.h"

struct ring {
	int cpu;
	int fd;		 /* becomes readable when the ring is half full */
	uint64_t missed; /* events lost just before this one */
	int64_t last;	 /* time of the event before the gap; INT64_MIN: none was read */
	bool announced;	 /* the merge's: it has handed out this gap (merge_next_gap()) */
	uint64_t lost;	 /* sum of all missed so far */

	bool standing;	  /* at an event; else dry */
	struct page page; /* its payload and size are the event's */
	int64_t ts;	  /* the event's */

	/* of a ring that is not of tracefs, set by its maker */
	int (*refill)(struct ring *ring);		    /* loads the next page, adds to missed. 1; 0: none; -1 after fail() */
	int64_t (*time)(const struct ring *ring, uint64_t); /* converts a page's time; NULL: it needs no conversion */
	void *source;

	/* private */
	int stats;
	size_t page_size;
	char *bytes;
	struct ring_map *map; /* NULL: pages are read into `bytes` */
};

static inline int64_t ring_ts(const struct ring *ring)
{
	return ring->ts;
}

/* -1 after fail(). */
int ring_open(struct ring *ring, struct tracefs_instance *instance, int cpu);
void ring_close(struct ring *ring);

/* Call it before the ring is first read. Reads pages where the kernel writes them from now on. False: the kernel cannot map them; they are copied. */
bool ring_map(struct ring *ring);

/* How many events were written to the ring so far: read, overwritten or waiting. */
uint64_t ring_traced(const struct ring *ring);

/* Goes on to the next event. 1; 0: the ring is dry now, ask again later; -1 after fail(). */
int ring_next(struct ring *ring);

/* After the last event, with tracing off: how many lost events no gap has shown. */
uint64_t ring_lost_at_end(struct ring *ring);

#endif
