/*
 * tally: what one series of a chart that counts has counted in the interval at hand, and who did most of it. All zero is an empty one.
 *
 * Who: a few candidates are kept (J. Misra, D. Gries, "Finding repeated elements", Science of Computer Programming 2, 1982). A
 * thread that did more than one in TALLY_THREADS + 1 of all is among them, and its number is too low by that many at most.
 */
#ifndef CHART_TALLY_H
#define CHART_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum { TALLY_THREADS = 8 };

struct tally {
	uint64_t events;  /* seen */
	uint64_t counted; /* of them */
	struct tally_thread {
		int32_t tid;
		uint64_t count; /* 0: free */
	} threads[TALLY_THREADS];
};

/* An event; tid -1 is nobody. */
void tally_add(struct tally *tally, bool counts, int32_t tid);

/* The thread that did at least half of what was counted; -1: nobody did, or it is not certain. */
int32_t tally_most(const struct tally *tally);

#endif
