/*
 * polled: tries that are one wait. A thread that tries to get something which somebody else has fails, sleeps, and tries again: so it waits, though
 * each of its calls is short. The call that gets it in the end counts from the beginning of the first try. If a
 * wait for a lock is abnormal, the next try that fails signals it as a wait that has not ended yet. Its context is kept until it ends, or until
 * the thread has not tried for ten seconds.
 *
 * A try belongs to the same wait as the try before it if the thread has slept most of the time in between: it did nothing else of weight.
 */
#ifndef CHART_POLLED_H
#define CHART_POLLED_H

#include "event/call_meanings.h"
#include "chart/start.h"

struct measure;
struct polled;

/* All functions that return an int return 0, or -1 if the listener of the measure did. */

struct polled *polled_new(struct measure *measure, const struct call_meanings *calls); /* `calls` must outlive it */
void polled_free(struct polled *polled); /* NULL is allowed */
int polled_forget(struct polled *polled); /* another stream begins, or events were lost */

/* A thread enters a call that may be a sleep; and returns from a call with this result. */
void polled_sleeps(struct polled *polled, int32_t tid, int64_t ts);
void polled_wakes(struct polled *polled, int32_t tid, int64_t result, int64_t ts);

/*
 * A call of the thread has returned this result, and its start is about to end. If the call ends a wait, the start is set to begin at the first try,
 * and start->told says whether a signal told of the wait. If the try failed, a wait that is too long by now is signalled.
 */
int polled_return(struct polled *polled, struct start *start, int64_t result, int64_t now);

/* The thread has ended; and the time passes. */
int polled_exit(struct polled *polled, int32_t tid);
int polled_time(struct polled *polled, int64_t now);

#endif
