/*
 * disturbances: a limit that all keys of a chart have in common, because a disturbance of a machine hits all keys alike.
 *
 * A key knows how long disturbances last only when it was hit often itself. So the values beyond the limits of their keys, each a disturbance, are
 * judged once more: the largest of each block of time has a limit (chart/block_maxima.h). Values that only one key has do not raise it.
 *
 * This limit has one half of the false alarms. The keys share the other half in equal parts. The rate of a key's disturbances comes from that key;
 * their length comes from all keys. So a key that is seldom disturbed has a lower limit.
 */
#ifndef CHART_DISTURBANCES_H
#define CHART_DISTURBANCES_H

#include "chart/sample.h"

struct disturbances;

/* A key's part in them. All zero: none yet. */
struct disturbed {
	int64_t since;	/* it is judged; 0: it is not */
	int64_t last;	/* time when it was disturbed, but not more than usual... */
	uint64_t times; /* ... and how many times, each apart from the one before */
	double limit;	/* that its values are judged by */
};

/* A time shorter than `shortest` (ns; 0: not known) is no signal. NULL: these choices have no use for it. */
struct disturbances *disturbances_new(const struct policy *policy, int64_t shortest);
void disturbances_free(struct disturbances *all); /* NULL is allowed */

/* Forgets what was learnt. */
void disturbances_empty(struct disturbances *all);

/* A stream is over; the next may be of another time. */
void disturbances_pause(struct disturbances *all);

/* Takes a value beyond its key's limit: whether it is beyond that of all, too. During the hold it is remembered instead. */
bool disturbances_judge(struct disturbances *all, const struct sample *sample);

/* The time passes, once a key has limits, or the input ends. True: limits are others, and what was remembered can be told. */
bool disturbances_time(struct disturbances *all, int64_t now, uint64_t keys);
bool disturbances_end(struct disturbances *all, int64_t now);

/* The limit of a key in ns, which it keeps; 0: there is none; INT64_MAX: during the hold. `judged`: the key has limits. */
int64_t disturbances_limit(const struct disturbances *all, struct disturbed *key, bool judged);

/* The next of what was remembered that is beyond the limit, and beyond its key's as it is known now, in order of start. False: there is no more. */
bool disturbances_next(struct disturbances *all, struct sample *sample);

/* When the oldest that is remembered began; INT64_MAX: nothing is. A series will be no more. */
int64_t disturbances_first(const struct disturbances *all);
void disturbances_forget(struct disturbances *all, const struct series *series);

#endif
