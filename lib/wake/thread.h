/*
 * thread: what a thread did, as a chain of pieces, contiguous in time: a piece ends where the next one starts, and the last one
 * is still open. If a thread is first seen after a gap in the data, it is taken to have been in that state since the gap
 * ("began before the data"). Private to lib/wake, lib/calls and lib/walk.
 */
#ifndef WAKE_THREAD_H
#define WAKE_THREAD_H

#include <uthash.h>

#include "event/event.h"
#include "graph/graph.h"
#include "wake/parts.h"

struct cpu;
struct wake;

enum { INDEX_NONE = -1, CALL_NONE = -1, TID_IDLE = 0 };

/* The cause that ended a wait; parts have causes of their own, see CAUSE(). */
enum {
	CAUSE_NONE = CAUSE(PART_SCHED, 0),    /* nothing yet: the wait lasts */
	CAUSE_UNKNOWN = CAUSE(PART_SCHED, 1), /* somebody that the data do not show */
	CAUSE_THREAD = CAUSE(PART_SCHED, 2),  /* index: thread; it was on a CPU when the wait ended */
};

enum piece_flag { /* parts have flags of their own: PIECE_OF() in parts.h */
	PIECE_ASSUMED = 1, /* it began before the data; its start is that of the data */
	PIECE_LOST = 2,	   /* unknown because events were lost */
	PIECE_EARLY = 4,   /* a wake-up came while the thread was still on its way to sleep */
	PIECE_GUESSED = 8, /* a run: the switch to it is hidden, so it may have begun later */
	PIECE_BUSY = 16,   /* a wait: the thread spins on the CPU */
	PIECE_POLL = 32,   /* a wait: a sleep between two tries, see poll.c */
};

/*
 * `what` is WHAT_RUN, WHAT_RUNNABLE, WHAT_WAIT or WHAT_UNKNOWN; or WHAT_IRQ or WHAT_SOFTIRQ for the time that an interrupt
 * took from the running thread (cause_index is its number).
 */
struct piece {
	int64_t start;
	int32_t cause_index;
	int32_t node;  /* in the graph at hand; NODE_NONE */
	int16_t call;  /* a wait: index of its reason (reason.h); CALL_NONE */
	uint16_t cpu;
	piece_flags flags;
	uint8_t what, cause;
};

struct thread {
	int32_t tid, index;
	int32_t parent;	 /* index of the thread that forked it; INDEX_NONE */
	uint32_t epoch;	 /* number of gaps it has been brought up to date with */
	int64_t born;	 /* TIME_NONE: before the data */
	int64_t died;	 /* TIME_NONE: not yet */
	bool early;	 /* a wake-up came while it was running, perhaps on its way to sleep */
	uint8_t for_cause; /* from now on its runs have this cause, */
	piece_flags run_flags; /* these flags */
	int32_t for_index; /* and this cause_index */
	char *comm;	 /* set when another thread takes over its tid; else ask struct events */
	bool works;	    /* it did works of a queue, so it is the kernel's */
	bool forked;	    /* it has made another thread */
	ARRAY(struct piece) pieces;
	UT_hash_handle hh;
	void *of[PARTS_COUNT]; /* state of the parts */
};

/* thread_last(): the last piece; NULL: nothing is known. A thread is asleep if its last piece is a wait: nothing has ended it. */
struct piece *thread_last(const struct thread *thread);
bool thread_asleep(const struct thread *thread);

bool thread_unseen(const struct thread *thread); /* nothing is known of it since the last gap */
bool thread_running(const struct thread *thread);
bool thread_runnable(const struct thread *thread);

/* thread_find(): how many pieces start at or before ts. thread_piece_end(): when the piece with this index ends. */
size_t thread_find(const struct thread *thread, int64_t ts);
int64_t thread_piece_end(const struct wake *wake, const struct thread *thread, size_t piece);

/*
 * Tells whether the thread did next to nothing in these pieces, which are over: it waited at least IDLENESS times as long as it ran.
 * Waits without these flags count as runs.
 */
enum { IDLENESS = 8 };
bool thread_idled(const struct thread *thread, size_t first, size_t last, piece_flags flags);

/* The first and last piece of the run that a piece belongs to: same cause, and in between the thread only lost its CPU to others. */
void thread_run_around(const struct thread *thread, size_t piece, size_t *first, size_t *last);

struct piece *thread_piece(struct thread *thread, enum node_what what, int64_t ts, uint32_t cpu); /* begins a piece */
void thread_split(struct thread *thread, int64_t ts); /* splits the run at ts in two pieces */
void thread_set_run_flags(struct wake *wake, struct thread *thread, piece_flags flags); /* from now on its runs have these flags, and no others */

/* The thread is on a CPU again, and no wake-up was seen since this wait began. */
void thread_woken_unseen(struct piece *wait);

#endif
