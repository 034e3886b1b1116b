/*
 * tally: counts the events of a series in the current interval, and finds the thread that caused most of them. All zero is an empty tally.
 *
 * It keeps a few candidates (J. Misra, D. Gries, "Finding repeated elements", Science of Computer Programming 2, 1982). A thread that
 * caused more than one event in TALLY_THREADS + 1 is among them, and its count is too low by at most that share of all events.
 */
#ifndef CHART_TALLY_H
#define CHART_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum { TALLY_THREADS = 8 };

struct tally {
	uint64_t events;  /* all */
	uint64_t counted; /* events that count */
	struct tally_thread {
		int32_t tid;
		uint64_t count; /* 0: free */
	} threads[TALLY_THREADS];
};

/* Adds an event; tid -1: of no thread. */
void tally_add(struct tally *tally, bool counts, int32_t tid);

/* The thread that caused at least half of the counted events; -1: none did, or it is not certain. */
int32_t tally_most(const struct tally *tally);

#endif
