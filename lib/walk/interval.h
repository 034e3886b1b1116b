/*
 * interval: what a thread did over an interval, and which of its waits are normal.
 */
#ifndef WALK_INTERVAL_H
#define WALK_INTERVAL_H

#include "walk/whole.h"

/* Ordered as ties are decided. STATE_NONE: nothing is known of the thread then. */
enum state_kind { STATE_RUNNING, STATE_RUNNABLE, STATE_WAIT, STATE_NONE };

/*
 * The kind with the most cumulated time: running, runnable, or a wait of one identity; ties in that order, then by earlier start. Of a
 * segment that lies partly in the interval, the time before its wait counts by the share that does.
 */
struct state {
	enum state_kind kind;
	uint32_t identity; /* of a wait */
	int64_t time;	   /* ns, of that kind */
	uint32_t segment;  /* of a wait, where most of it lies in the interval; else the one with the most of that time. NUMBER_NONE */
	uint32_t waits, timed; /* waits of that identity that lie in it in part; ended by the thread's own timer */
	int64_t runnable;  /* ns in which it could run, and had no CPU */
	uint64_t yields;   /* calls of sched_yield, where they were counted */
	bool yielding;	   /* YIELDS or more such waits, nine tenths of them ended so; or it ran, and gave up its CPU again and again */
};

/*
 * Fewer waits may be a timer that happened to come first. On recordings of tests/incidents/desktop.c any number from 1 to 30 gives the same answers:
 * the poller waited 30 times in its interval, all ended by its own timer, the others once or twice, ended by a thread or by nobody. With 31 it is lost.
 * For the same reason any share from a half to all of them does: 18 recordings of the six cases of waiting, three of each.
 */
enum { YIELDS = 3, YIELD_SHARE = 10 /* all but one in this number */ };

/* Calls of sched_yield a second. A loop that waits for a flag was measured to make 200,000 to 370,000; a thread with fewer may just let others go first. */
enum { SPINS = 1000 };

struct state state_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

/* The task of the program's own in whose turns the thread ran most meanwhile, ties by the first, and the turn with the most of that time. */
struct task_share {
	uint32_t word;	  /* "task=NAME"; 0: it ran in no task that is known */
	int64_t time;	  /* ns */
	uint32_t segment;
};
struct task_share task_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);
uint32_t segment_task(const struct whole *whole, uint32_t segment); /* the word of a turn; 0: it is none */

/* The segment in which the task of this one was posted for this turn. NUMBER_NONE: nobody knows. */
uint32_t segment_poster(const struct whole *whole, uint32_t segment);

/* In which functions the thread ran meanwhile, by samples, the most first; by the share of each segment that lies in the interval. To be freed. */
struct whole_counts samples_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

/* Threads by the time that they ran meanwhile, those of a name together, the most first; without one of them. */
enum { RUNNERS = 3 };
struct cpu_share {
	uint32_t thread; /* the first of the name */
	uint32_t threads;
	int64_t time; /* ns; 0: there are no more */
};
void runners_of(const struct whole *whole, int64_t from, int64_t to, uint32_t without, struct cpu_share runners[RUNNERS]);

/*
 * A segment is normal if its wait is over, overlaps no signal of its own thread, and no events were lost in it; and quiet if, besides,
 * that wait overlaps no signal of any thread.
 */
bool segment_is_normal(const struct whole *whole, uint32_t segment);
bool segment_is_quiet(const struct whole *whole, uint32_t segment);

/* Tells whether a timer of the thread's own ended its wait. */
bool segment_timed(const struct whole *whole, uint32_t segment);

/* The length of what both intervals share; 0: nothing. */
static inline int64_t interval_shared(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t begin = a > from ? a : from, end = b < to ? b : to;

	return end > begin ? end - begin : 0;
}

#endif
