/*
 * vote: finds the culprit of a wait (Argus, section 2.1.2). In the normal case a path of wake-ups leads to the end of the wait; in this case
 * the wake-up of some thread on that path is missing. One similar wait may mislead, because a thread happened not to sleep. So at each
 * step all normal waits of the thread for the same thing vote for the thread that usually ends them.
 *
 * Let [a,b) be the wait, T its thread and W its identity. Polls of a flag, up to the poll that the flag's write ended, are one wait, because the
 * writer may be through with its work for most of the last poll. U are the sources of the strong edges that ended the normal waits of T in W, by
 * count, ties by the latest. T in W is the culprit if there are no such waits, if T's own timer ended more of them than threads did, if a device or
 * another host ended most of them, or if U is empty. Else the first of U is the next T, and what it did for most of [a,b) decides: if it ran, or had
 * no CPU to run on, it is the culprit; if it waited, that wait is the next W. If the next T is on the path already, the walk stops (VERDICT_UNASKED).
 */
#ifndef WALK_VOTE_H
#define WALK_VOTE_H

#include "walk/interval.h"
#include "walk/normal_stream.h"

struct vote_step { /* a thread of the path, in a wait */
	uint32_t thread, identity;
	uint32_t segment; /* of that wait: the one with the most time in [a,b) */
	size_t normal;	  /* how many normal waits of this identity there are */
	size_t votes;	  /* how many of these the source ended */
	uint32_t source;  /* thread that usually ends them; NUMBER_NONE: no next step */
};

enum verdict {
	VERDICT_NEVER,	  /* its wait has no normal case */
	VERDICT_NOBODY,	  /* no thread is known to end its wait */
	VERDICT_TIMER,	  /* its own timer usually ends its wait */
	VERDICT_OUTSIDE,  /* a device or another host usually ends its wait */
	VERDICT_BUSY,	  /* it ran */
	VERDICT_STARVED,  /* it could run, and had no CPU */
	VERDICT_UNASKED,  /* the next thread is on the path already, so nobody else was asked */
	VERDICT_UNKNOWN,  /* the data do not tell what it did then */
};

enum { FEW_NORMAL = 3, PATH_MOST = 256 };

struct vote {
	int64_t from, to; /* [a,b) */
	ARRAY(struct vote_step) steps; /* the first is the wait asked about */
	enum verdict verdict;
	uint32_t thread;      /* the culprit */
	struct state state;   /* what it did over [a,b) */
	int64_t starved;      /* VERDICT_UNASKED: time in [a,b) that the threads of the path could run and had no CPU, summed over them, ns */
	/* circle: the thread that really ended the culprit's wait is on the path */
	bool circle;
	uint32_t breaker;     /* that thread */
	uint32_t broke_after; /* the wait that it had come out of; NUMBER_NONE: not known */
};

/*
 * 0; -1 after fail(): the segment has no wait. The caller calls vote_free() in either case. Takes the normal waits from `normal`, or, if that is
 * NULL, from this stream.
 */
int vote(const struct whole *whole, uint32_t segment, const struct normal_stream *normal, struct vote *vote);
void vote_free(struct vote *vote);

/* The first step with fewer than FEW_NORMAL normal cases, so that the vote is weak; NULL: none. */
const struct vote_step *vote_few(const struct vote *vote);

/* The segment that the culprit waited in; NUMBER_NONE: it did not wait. */
uint32_t vote_wait(const struct vote *vote);

#endif
