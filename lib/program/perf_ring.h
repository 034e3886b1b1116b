/*
 * perf_ring: the ring of records that perf_event_open(2) gives, read one by one, and what stands in each.
 *
 *	perf_ring_map(&ring, fd, size)		of the event that has the ring
 *	perf_ring_stand(&ring)			at the next record, if there is one: then ring.standing, ring.ts
 *	perf_ring_header(&ring), perf_ring_copy(&ring, ...)
 *	perf_ring_step(&ring)			over it: its room is the kernel's again
 *	perf_ring_unmap(&ring)
 *
 * The events that write into a ring sample at least PERF_SAMPLE_IDENTIFIER, TID, TIME and CPU, and not PERF_SAMPLE_IP, and have sample_id_all: so
 * each record's time is found.
 */
#ifndef PROGRAM_PERF_RING_H
#define PROGRAM_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring {
	bool standing;
	int64_t ts; /* of the record that it stands at */
	uint64_t at; /* where that is */
	/* private */
	size_t size; /* a power of 2 */
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t head; /* what is known to be there ends here */
};

int perf_ring_map(struct perf_ring *ring, int fd, size_t size); /* -1 with errno */
void perf_ring_unmap(struct perf_ring *ring);			/* one that was not mapped, too */

void perf_ring_stand(struct perf_ring *ring);
void perf_ring_step(struct perf_ring *ring);

/* The ring as it stands at the record behind; false: there is none yet. To assign it goes on: the next step frees the room of both. */
bool perf_ring_ahead(const struct perf_ring *ring, struct perf_ring *ahead);

/* Of the record that it stands at, which lies around the ring's end, perhaps; `length` is no more than that of its header. */
struct perf_event_header perf_ring_header(const struct perf_ring *ring);
void perf_ring_copy(const struct perf_ring *ring, void *to, size_t length);

/*
 * The kernel counts the records that an event loses. A record in the ring tells that number only once another record fits in.
 *
 * perf_lost_format() returns what read_format needs for it: PERF_FORMAT_LOST; 0 before Linux 6.0. perf_lost() returns the number for an event with
 * no other read_format; 0 if the descriptor is -1.
 */
uint64_t perf_lost_format(void);
uint64_t perf_lost(int fd);

/* A record as the kernel wrote it, read part by part; `ok` becomes false where it ends too early, and numbers are 0 from there on. */
struct perf_cursor {
	const unsigned char *at, *end;
	bool ok;
};

const void *perf_take(struct perf_cursor *cursor, size_t length); /* NULL: it ends before */
uint64_t perf_take_number(struct perf_cursor *cursor);
uint32_t perf_take_short(struct perf_cursor *cursor);

#endif
