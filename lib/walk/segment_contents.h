/*
 * segment_contents: what happened in a segment, until it ends. All zero at first.
 */
#ifndef WALK_SEGMENT_CONTENTS_H
#define WALK_SEGMENT_CONTENTS_H

#include <stdint.h>

#include "base/memory.h"
#include "walk/whole.h"

/* Words of the whole: the events as a set and in order, and what system calls returned. Counters, and where samples found the thread, with counts. */
struct segment_contents {
	ARRAY(uint32_t) words, sequence, results;
	struct whole_counts counters, samples;
};

/* Adds an event. The sequence has one of several alike in a row, and keeps the first SEQUENCE_MOST. */
void segment_contents_add(struct segment_contents *contents, uint32_t word);

/* Adds a result of a system call. */
void segment_contents_return(struct segment_contents *contents, uint32_t result);

/* Adds to the count of a word: `counts` are the contents' counters or samples. */
void segment_contents_count(struct whole_counts *counts, uint32_t word, uint64_t count);

/* The segment with this number has ended: moves the contents into the whole. They are empty then. */
void segment_contents_close(struct segment_contents *contents, struct whole *whole, uint32_t number);

void segment_contents_free(struct segment_contents *contents);

#endif
