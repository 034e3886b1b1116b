/*
 * whole: the graph of everything that a stream's threads did (kind=event), in memory. graph-walk asks what usually happens, and
 * so needs the normal cases, too. tailblame-graph(5) describes its records.
 *
 * A node is a segment of a thread: from the end of one wait to the end of its next. An edge leads to the end of a segment's wait, from
 * the segment that brought this end about. Edges of kind seq, from each segment of a thread to its next, are not kept: they follow
 * from the numbers. Sets of what happened in a segment are interned: most segments share theirs with others.
 *
 *	whole = whole_new()
 *	whole_thread(), whole_segment(), whole_edge() ...	walk/whole_build.h, from events; walk/whole_record.h, from records
 *	whole_ready(whole)					from here on it is only read: walk/whole_find.h
 *	whole_free(whole)
 *
 * Threads, segments, words, sets and identities have numbers from 0; pointers to them are valid until the next one is added.
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

/* What ended a segment's wait. ENDED_NOT: the segment has no wait, or events were lost in it. ENDED_OPEN: the data end before the wait. */
enum ending { ENDED_NOT, ENDED_OPEN, ENDED_THREAD, ENDED_TIMER, ENDED_DEVICE, ENDED_OUTSIDE, ENDED_UNKNOWN, ENDINGS };
const char *ending_name(enum ending ending);

/* LOST: it reaches to lost events, or its wait to the beginning of the data: the wait's length is not known. BOUNDARY: it ends without a wait. */
enum { SEGMENT_LOST = 1, SEGMENT_BOUNDARY = 2, SEGMENT_HANDLER = 4 /* of a signal; its edges are weak */ };

struct segment {
	int64_t start, wait_from, end; /* without a wait, wait_from is the end */
	int64_t run, runnable;	     /* ns before wait_from */
	int64_t ret;		     /* result of the system call that it waited in; valid if has_ret */
	uint32_t thread, n;	     /* n: its number among the segments of its tid, from 1 */
	uint32_t before;	     /* the thread's segment before it; NUMBER_NONE: none */
	uint32_t set, sequence;	     /* words of what happened in it, as a set and in order; sequence 0: order not known */
	uint32_t results;	     /* set of words: what its system calls returned, such as "read -11" */
	uint32_t stack;		     /* word: functions of the program in which it waits, innermost first, with ';' between them; 0: not known */
	uint32_t identity;	     /* of its wait */
	uint8_t ended, flags;
	bool has_ret;
};

struct whole_thread {
	int32_t tid, tgid;     /* tgid 0: not known */
	uint32_t name, process; /* words */
	uint32_t last;         /* its last segment; NUMBER_NONE: none */
	uint32_t segments;     /* how many it has */
	uint32_t earlier;      /* how many segments earlier threads with this tid had */
};

/* Two waits of a thread are for the same thing if all three are equal. Words; 0: not known. */
struct wait_identity {
	uint32_t syscall, object, function;
};

struct whole_edge {
	int64_t ts;
	uint32_t from, to; /* segments */
	uint8_t kind;	   /* enum edge_kind */
	bool weak, cut, joined; /* cut: the user says that it means nothing; joined: the user added it (walk/edge_rules.h) */
};

struct whole_count { /* a segment's count of a counter, or of samples in a function (word 0: in no known function) */
	uint32_t segment, word;
	uint64_t count;
};
struct whole_counts { /* sorted by segment */
	struct whole_count *items;
	size_t count, room;
};

struct whole_gap { /* events were lost */
	int64_t from, to;
};

struct whole_signal {
	int64_t start, ts;
	double value, lost, excess; /* lost: seconds beyond the centre, -1 if the signal is no wait; excess: value / ucl */
	int32_t tid; /* 0: none */
	bool in_window;
	uint32_t id, name; /* words: its id; chart and key */
	unsigned long long number; /* its id as a number */
};

struct whole_window {
	int64_t from, to;
	uint32_t id; /* word */
	uint32_t signal; /* the worst in it; NUMBER_NONE: none */
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
	size_t settled; /* private: the first signals up to here are in windows, or have an id that no window can name */
	/* private: ids of segments in records (empty: the numbers from 1 on); kinds of descriptors, words by identity; indexes of whole_ready() */
	ARRAY(int64_t) ids;
	ARRAY(uint32_t) kinds;
	struct tid_entry *by_tid;
	struct busy_list *busy; /* see abnormal.c */
	uint32_t *of_threads;  /* the segments of each thread, one thread behind the other */
	size_t *thread_begins; /* by thread: where its segments begin there */
	size_t *edge_begins;   /* by segment: where the edges that lead to it begin */
};

struct whole *whole_new(void);
void whole_free(struct whole *whole);

/* whole_thread() adds a thread, which has this tid from now on. whole_thread_of() finds the last thread with this tid; NUMBER_NONE: none. */
uint32_t whole_thread(struct whole *whole, int32_t tid);
uint32_t whole_thread_of(const struct whole *whole, int32_t tid);

/* Adds the next segment of a thread; the caller fills in the rest. */
uint32_t whole_segment(struct whole *whole, uint32_t thread, int64_t start);
void whole_edge(struct whole *whole, uint32_t from, uint32_t to, enum edge_kind kind, int64_t ts, bool weak);

/* Sorts everything, and makes indexes. -1 after fail(): a segment or edge goes back in time. */
int whole_ready(struct whole *whole);

/* Makes the index of the edges anew, after edges were added or removed in their order. */
void whole_index_edges(struct whole *whole);

static inline const struct segment *segment_at(const struct whole *whole, uint32_t segment)
{
	return &whole->segments.items[segment];
}

/* The segment's id in records. */
static inline int64_t segment_id(const struct whole *whole, uint32_t segment)
{
	return whole->ids.count ? whole->ids.items[segment] : (int64_t)segment + 1;
}

static inline bool segment_waits(const struct segment *segment)
{
	return segment->end > segment->wait_from || segment->ended != ENDED_NOT;
}

#endif
