/*
 * segment_contents: collects what happens in a segment until it ends. Starts as all zero.
 */
#ifndef WALK_SEGMENT_CONTENTS_H
#define WALK_SEGMENT_CONTENTS_H

#include <stdint.h>

#include "base/memory.h"
#include "walk/whole.h"

/* The events as a set and in order, and results of system calls: words of the whole. Counts of counters, and of samples by function. */
struct segment_contents {
	ARRAY(uint32_t) words, sequence, results;
	struct whole_counts counters, samples;
};

/* Adds an event. The sequence has an event that is repeated in a row once, and keeps the first SEQUENCE_MOST. */
void segment_contents_add(struct segment_contents *contents, uint32_t word);

/* Adds a result of a system call. */
void segment_contents_return(struct segment_contents *contents, uint32_t result);

/* Adds to the count of a word in `counts`, the contents' counters or samples. */
void segment_contents_count(struct whole_counts *counts, uint32_t word, uint64_t count);

/* Moves the contents to the ended segment with this number in the whole. The contents are empty then. */
void segment_contents_close(struct segment_contents *contents, struct whole *whole, uint32_t number);

void segment_contents_free(struct segment_contents *contents);

#endif
