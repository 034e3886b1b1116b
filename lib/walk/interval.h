/*
 * interval: what a thread did over an interval, and which of its waits are normal.
 */
#ifndef WALK_INTERVAL_H
#define WALK_INTERVAL_H

#include "walk/whole.h"

/* In the order that decides ties. STATE_NONE: nothing is known of the thread then. */
enum state_kind { STATE_RUNNING, STATE_RUNNABLE, STATE_WAIT, STATE_NONE };

/*
 * What a thread did most over an interval, by the sum of time: run, be runnable, or wait with one identity; ties in that order, then by earlier
 * start. If a segment's time before its wait lies partly in the interval, its run and runnable time count in proportion.
 */
struct state {
	enum state_kind kind;
	uint32_t identity; /* of a wait */
	int64_t time;	   /* ns, of that kind */
	uint32_t segment;  /* the one with the most of that time; NUMBER_NONE: none */
	uint32_t waits, timed; /* waits of that identity in the interval, at least in part; how many of these the thread's own timer ended */
	int64_t runnable;  /* ns in which it could run, and had no CPU */
	uint64_t yields;   /* calls of sched_yield, if they were counted */
	bool yielding;	   /* YIELDS or more such waits, nine tenths of them timed; or no wait, and SPINS or more yields a second */
};

/*
 * With fewer waits, a timer may just have happened to come first. On recordings of tests/incidents/desktop.c any number from 1 to 30 gives the same
 * answers: the poller waited 30 times in its interval, each wait ended by its own timer; the others waited once or twice, until a thread or nobody
 * ended it. With 31 the poller is missed. For the same reason any share from a half to all of them works: 18 recordings of the six cases of
 * waiting, three of each.
 */
enum { YIELDS = 3, YIELD_SHARE = 10 /* all but one in this number are timed */ };

/*
 * Calls of sched_yield a second. A loop that waits for a flag was measured to make 200,000 to 370,000; a thread with fewer calls may just let others
 * go first.
 */
enum { SPINS = 1000 };

struct state state_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

/* The task of the program's own in whose turns the thread ran most in the interval; ties: the first. */
struct task_share {
	uint32_t word;	  /* "task=NAME"; 0: it ran in no known task */
	int64_t time;	  /* ns */
	uint32_t segment; /* the turn with the most of that time */
};
struct task_share task_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);
uint32_t segment_task(const struct whole *whole, uint32_t segment); /* the word of its task; 0: it is no turn of a task */

/* The segment that posted the task for this turn; NUMBER_NONE: not known. */
uint32_t segment_poster(const struct whole *whole, uint32_t segment);

/* Samples by function in which the thread ran, most first; of a segment partly in the interval, in proportion. The caller frees the items. */
struct whole_counts samples_of(const struct whole *whole, uint32_t thread, int64_t from, int64_t to);

/* The RUNNERS names whose threads ran most in the interval, most first, without the thread `without`. */
enum { RUNNERS = 3 };
struct cpu_share {
	uint32_t thread; /* the first with the name */
	uint32_t threads; /* how many with the name ran */
	int64_t time; /* ns; 0: there are no more */
};
void runners_of(const struct whole *whole, int64_t from, int64_t to, uint32_t without, struct cpu_share runners[RUNNERS]);

/*
 * A segment is normal if its wait is over, overlaps no signal of its own thread, and no events were lost in it; and quiet if, besides,
 * that wait overlaps no signal of any thread.
 */
bool segment_is_normal(const struct whole *whole, uint32_t segment);
bool segment_is_quiet(const struct whole *whole, uint32_t segment);

/* Tells whether the thread's own timer ended the segment's wait. */
bool segment_timed(const struct whole *whole, uint32_t segment);

/* The length of the overlap of [a, b) and [from, to). */
static inline int64_t interval_shared(int64_t a, int64_t b, int64_t from, int64_t to)
{
	int64_t begin = a > from ? a : from, end = b < to ? b : to;

	return end > begin ? end - begin : 0;
}

#endif
