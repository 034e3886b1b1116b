/*
 * sampler_ring: the records in the ring that perf_event_open(2) gives each CPU. Part of sampler, see sampler.h.
 */
#ifndef PROGRAM_SAMPLER_RING_H
#define PROGRAM_SAMPLER_RING_H

#include <linux/perf_event.h>

#include "program/sampler.h"

enum { SAMPLER_MOMENTS = SAMPLED_WAKE + 1 };

/* The order of a sample's parts is that of perf_event_open(2), whatever the order here. */
#define SAMPLER_TYPE                                                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |      \
	 PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct sampler_ring {
	uint32_t cpu;
	size_t size; /* a power of 2 */
	int fds[SAMPLER_MOMENTS + 1]; /* the last one has the ring */
	uint64_t ids[SAMPLER_MOMENTS];
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t at, head; /* of the record that it stands at; of what is known to be there */
	bool standing;
	int64_t ts; /* of the record that it stands at */
	uint64_t lost_told, lost_counted; /* by records, which come with the next that fits; at the end, by the kernel */
};

/* -1 after fail(). */
int sampler_ring_map(struct sampler_ring *ring);
/* What the kernel has counted as lost, for good once its events are disabled; nothing before Linux 6.0. */
void sampler_ring_count_lost(struct sampler_ring *ring);
void sampler_ring_close(struct sampler_ring *ring);

#endif
