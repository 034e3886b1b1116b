/*
 * vote: who is the culprit of a wait (Argus, section 2.1.2). In the normal case a path of wake-ups leads to the wait; in this one,
 * somewhere along that path, a thread's wake-up is missing. One similar wait may mislead, where a thread happened not to sleep, so at each
 * step all normal waits of the thread for the same thing vote for who usually ends it.
 *
 * Let [a,b) be the wait, T its thread and W its identity. Polls of a flag, up to the one that the flag's write ended, are one wait: whoever is to write
 * it may be done in the last of them. U are the sources of the strong edges that ended the normal waits of T in W, by count, ties by the latest. If
 * there are none, or most of those waits ended by T's own timer, or by none of the threads, T in W is the culprit. Else the first of U is the next T,
 * and what it did most of [a,b) decides: if it ran, or could not for want of a CPU, it is the culprit; if it waited, that wait is the next W. If the
 * next T is on the path already, the walk stops (VERDICT_UNASKED): nobody else was asked.
 */
#ifndef WALK_VOTE_H
#define WALK_VOTE_H

#include "walk/interval.h"
#include "walk/normal_stream.h"

struct vote_step { /* a thread of the path, in a wait */
	uint32_t thread, identity;
	uint32_t segment; /* that wait: most of it lies in [a,b) */
	size_t normal;	  /* normal waits of it */
	size_t votes;	  /* of these ended by the source */
	uint32_t source;  /* thread; NUMBER_NONE: no next step */
};

enum verdict {
	VERDICT_NEVER,	  /* waits for what was never normal */
	VERDICT_NOBODY,	  /* no thread is known to end that */
	VERDICT_TIMER,	  /* its own timer usually does */
	VERDICT_OUTSIDE,  /* a device, or another host usually does */
	VERDICT_BUSY,
	VERDICT_STARVED,
	VERDICT_UNASKED,  /* nobody was asked: the next is on the path already */
	VERDICT_UNKNOWN,  /* nothing is known of it then */
};

enum { FEW_NORMAL = 3, PATH_MOST = 256 };

struct vote {
	int64_t from, to; /* [a,b) */
	ARRAY(struct vote_step) steps; /* the first is the wait asked about */
	enum verdict verdict;
	uint32_t thread;      /* the culprit */
	struct state state;   /* of it over [a,b) */
	int64_t starved;      /* where nobody was asked: for so long of [a,b) threads of the path, in sum, had no CPU */
	/* The thread that really ended the culprit's wait is on the path: */
	bool circle;
	uint32_t breaker;     /* its thread */
	uint32_t broke_after; /* the wait that it had come out of; NUMBER_NONE */
};

/*
 * 0; -1 after fail(): the segment has no wait. To be freed in either case. Normal waits are those of `normal`, if that is not NULL, and
 * else of this stream.
 */
int vote(const struct whole *whole, uint32_t segment, const struct normal_stream *normal, struct vote *vote);
void vote_free(struct vote *vote);

/* The first step on which fewer than FEW_NORMAL cases were normal, so that the vote is weak; NULL: none was. */
const struct vote_step *vote_few(const struct vote *vote);

/* The segment that the culprit waited in; NUMBER_NONE: it did not wait. */
uint32_t vote_wait(const struct vote *vote);

#endif
