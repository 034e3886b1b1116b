/*
 * whole: the graph of everything that a stream's threads did (kind=event), in memory. graph-walk asks for what is usual, and
 * so needs the normal cases, too. tailblame-graph(5) describes its records.
 *
 * A node is a segment of a thread: from the end of one wait to the end of its next. Edges come to the end of a segment's wait, from
 * the segment in which that was brought about. Edges of kind seq, from each segment of a thread to its next, are not kept: they follow
 * from the numbers. Sets of what happened in a segment are interned: most segments share theirs with others.
 *
 *	whole = whole_new()
 *	whole_thread(), whole_segment(), whole_edge() ...	walk/whole_build.h, from events; walk/whole_record.h, from records
 *	whole_ready(whole)					from here on it is only read: walk/whole_find.h
 *	whole_free(whole)
 *
 * Threads, segments, words, sets and identities go by numbers from 0; pointers to them are valid until the next is added.
 * Times are nanoseconds of the trace clock.
 */
#ifndef WALK_WHOLE_H
#define WALK_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "walk/intern.h"

#define NUMBER_NONE UINT32_MAX /* no thread, no segment */

/* The end of a segment's wait. ENDED_NOT: the segment has none, its thread ended, or the data did. ENDED_OPEN: it lasts. */
enum ending { ENDED_NOT, ENDED_OPEN, ENDED_THREAD, ENDED_TIMER, ENDED_DEVICE, ENDED_OUTSIDE, ENDED_UNKNOWN, ENDINGS };
const char *ending_name(enum ending ending);

/* Events were lost in it, or before its wait began: nobody knows how long it waited. It ends without a wait, where its thread does something else. */
enum { SEGMENT_LOST = 1, SEGMENT_BOUNDARY = 2, SEGMENT_HANDLER = 4 /* of a signal: its edges are weak */ };

struct segment {
	int64_t start, wait_from, end; /* without a wait wait_from is the end */
	int64_t run, runnable;	     /* ns before wait_from */
	int64_t ret;		     /* of the system call; where has_ret */
	uint32_t thread, n;	     /* its number among the segments of its tid, from 1 */
	uint32_t before;	     /* segment of the thread; NUMBER_NONE */
	uint32_t set, sequence;	     /* of words: what happened in it; and in which order, 0: not known */
	uint32_t results;	     /* set of words: what its system calls returned, such as "read -11" */
	uint32_t stack;		     /* word: functions of the program in which it waits, innermost first, with ';' between them; 0: not known */
	uint32_t identity;	     /* of its wait */
	uint8_t ended, flags;
	bool has_ret;
};

struct whole_thread {
	int32_t tid, tgid;     /* tgid 0: not known */
	uint32_t name, process; /* words */
	uint32_t last;         /* segment; NUMBER_NONE */
	uint32_t segments;     /* of it */
	uint32_t earlier;      /* segments of threads that had its tid before */
};

/* Two waits of a thread are the same if these are. Words; 0: not known. */
struct wait_identity {
	uint32_t syscall, object, function;
};

struct whole_edge {
	int64_t ts;
	uint32_t from, to; /* segments */
	uint8_t kind;	   /* enum edge_kind */
	bool weak, cut, joined; /* the user says that it is none; the user added it (walk/edge_rules.h) */
};

struct whole_count { /* of a counter, or of samples in a function (word 0: in none that is known), in a segment */
	uint32_t segment, word;
	uint64_t count;
};
struct whole_counts { /* by segment */
	struct whole_count *items;
	size_t count, room;
};

struct whole_gap { /* events were lost */
	int64_t from, to;
};

struct whole_signal {
	int64_t start, ts;
	double value, lost, excess; /* lost: seconds beyond the centre, negative for what is no wait; excess: value / ucl */
	int32_t tid; /* 0: none */
	bool in_window;
	uint32_t id, name; /* words: its id; chart and key */
	unsigned long long number; /* of its id */
};

struct whole_window {
	int64_t from, to;
	uint32_t id; /* word */
	uint32_t signal; /* the worst in it; NUMBER_NONE */
};

struct whole {
	ARRAY(struct whole_thread) threads;
	ARRAY(struct segment) segments;
	ARRAY(struct whole_edge) edges;
	ARRAY(struct whole_gap) gaps;
	ARRAY(struct whole_signal) signals;
	ARRAY(struct whole_window) windows;
	struct whole_counts counters, samples;
	struct intern words, sets, sequences, identities;
	size_t settled; /* private: as many signals from the first on are in windows */
	/* private: ids of segments in records, empty: from 1 on; how descriptors are called for people, by identity; and indexes of whole_ready() */
	ARRAY(int64_t) ids;
	ARRAY(uint32_t) kinds;
	struct tid_entry *by_tid;
	struct busy_list *busy; /* see abnormal.c */
	uint32_t *of_threads;  /* segments of each thread, one thread behind the other */
	size_t *thread_begins;
	size_t *edge_begins;   /* of the edges that lead to each segment, in the order of segments */
};

struct whole *whole_new(void);
void whole_free(struct whole *whole);

/* A thread that takes over the tid, and one that has it; NUMBER_NONE: none. */
uint32_t whole_thread(struct whole *whole, int32_t tid);
uint32_t whole_thread_of(const struct whole *whole, int32_t tid);

/* The next segment of a thread; the caller fills in the rest. */
uint32_t whole_segment(struct whole *whole, uint32_t thread, int64_t start);
void whole_edge(struct whole *whole, uint32_t from, uint32_t to, enum edge_kind kind, int64_t ts, bool weak);

/* Sorts, and makes indexes. -1 after fail(): a segment or edge goes back in time. */
int whole_ready(struct whole *whole);

/* Makes the index of the edges anew: some came or went, in their order. */
void whole_index_edges(struct whole *whole);

static inline const struct segment *segment_at(const struct whole *whole, uint32_t segment)
{
	return &whole->segments.items[segment];
}

/* As in records. */
static inline int64_t segment_id(const struct whole *whole, uint32_t segment)
{
	return whole->ids.count ? whole->ids.items[segment] : (int64_t)segment + 1;
}

static inline bool segment_waits(const struct segment *segment)
{
	return segment->end > segment->wait_from || segment->ended != ENDED_NOT;
}

#endif
