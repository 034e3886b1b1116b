/*
 * common: a limit that values of one time have in common, those of all keys of a chart or of one, beside the keys' own.
 *
 * A disturbance of a machine hits all keys alike: a system call whose thread loses the CPU takes as long as the others' turns last, whichever
 * call it is. A key knows that only when it was hit often itself. So the values beyond the limits of their keys are judged once more, as
 * the values of a chart of their own, by the same method (pot) and rate of false alarms. Of those that end at the same time (a tenth of a
 * second; a second where it took longer than COMMON_HOLD to learn a limit) only the largest counts, because they have one reason.
 *
 * Values of one key come in bursts, too: all threads of a queue wait for the same turn, and of requests that are queued at once each waits
 * for those before it. The limit of a key holds for independent values, and a burst longer than those before it is a hundred values beyond
 * that. So a key may have such a limit of its own, of its bursts: the largest of all its values in each tenth of a second counts.
 *
 * That of all keys begins when the first key has limits, with COMMON_HOLD, in which there are no signals; the largest values are judged
 * at its end. That of bursts needs two of them only, because a short recording may be an incident for the most part, and what comes after its
 * begin says nothing of what is usual. Until there are enough for the method's tail, the limit comes from Student's distribution, and reaches
 * no farther than a tail of the expected shape from the largest value. What one key alone has is none of all keys (reach_out(), is_of_all()).
 *
 * The limit of all keys has one half of the false alarms. The other half is the keys', each as much: how often a key is disturbed is known from
 * its usual disturbances, and how long these are, from those of all. So one that is seldom disturbed has a lower limit.
 */
#ifndef CHART_COMMON_H
#define CHART_COMMON_H

#include "chart/sample.h"

struct common;

/* A key's part in the limit of all keys. All zero: none yet. */
struct common_key {
	int64_t since;	/* it is judged; 0: it is not */
	int64_t last;	/* time when it was disturbed, but not more than usual... */
	uint64_t times; /* ... and how many times, each apart from the one before */
	double limit;	/* that its values are judged by */
};

/* `all`: of the bursts of one key. A time shorter than `shortest` (ns; 0: not known) is no signal. NULL: these choices have no use for it. */
struct common *common_new(const struct policy *policy, bool all, int64_t shortest);
void common_free(struct common *common); /* NULL is allowed */

/* Forgets what was learnt. */
void common_empty(struct common *common);

/* A stream is over; the next may be of another time. */
void common_pause(struct common *common);

/* Takes any value, which only the limit of bursts learns from. */
void common_see(struct common *common, const struct sample *sample);

/* Takes a value beyond its key's limit: whether it is beyond the common one, too. During COMMON_HOLD it is remembered instead. */
bool common_judge(struct common *common, const struct sample *sample);

/*
 * The time passes, once a key has limits, or the input ends. True: the limit is another one, and what was remembered can be told. The keys
 * of the chart, which share the false alarms, are `keys`.
 */
bool common_time(struct common *common, int64_t now, uint64_t keys);
enum { COMMON_EVERY = 100000000 }; /* ns; to call it more often is of no use */
bool common_end(struct common *common, int64_t now);

/* The limit in ns; 0: there is none; INT64_MAX: during COMMON_HOLD. common_limit_of() is that of one key, and updates the key. */
int64_t common_limit(const struct common *common);
int64_t common_limit_of(const struct common *common, struct common_key *key, bool judged);

/* The next of what was remembered that is beyond the limit, and beyond its key's as it is known now, in order of start. False: there is no more. */
bool common_next(struct common *common, struct sample *sample);

/* When the oldest that is remembered began; INT64_MAX: nothing is. A series will be no more. */
int64_t common_first(const struct common *common);
void common_forget(struct common *common, const struct series *series);

#endif
