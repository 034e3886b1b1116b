/*
 * disturbances: a limit that all keys of a chart have in common, because a disturbance of a machine hits all keys alike.
 *
 * A key alone learns how long disturbances last only if it is hit often. So the values beyond the limits of their keys, each a disturbance, are
 * judged once more: the largest of each block of time have a limit (chart/block_maxima.h). Values that only one key has do not raise it, nor does a
 * signal that stands out from what befalls the other keys at that time.
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
	int64_t since;	/* when its values were first judged; 0: they are not */
	int64_t last;	/* time of its last disturbance that was of usual length... */
	uint64_t times; /* ... and how many there were, a second or more apart */
	double limit;	/* the limit that its values are judged by, in seconds */
};

/* A time shorter than `shortest` (ns; 0: not known) is no signal. NULL: the policy has no use for such a limit. */
struct disturbances *disturbances_new(const struct policy *policy, int64_t shortest);
void disturbances_free(struct disturbances *all); /* NULL is allowed */

/* Forgets what was learnt. */
void disturbances_empty(struct disturbances *all);

/* A stream is over; the next may be of another time. */
void disturbances_pause(struct disturbances *all);

/* Takes a signal that is not judged, because it was told while it lasted. Later signals of other keys are compared with it. */
void disturbances_see(struct disturbances *all, const struct sample *sample);

/* Tells whether a value beyond its key's limit is beyond the common limit, too. During the hold the answer is no, and the value is remembered. */
bool disturbances_judge(struct disturbances *all, const struct sample *sample);

/* Advance the time, from when a key has limits to the end of the input. True: limits have changed; disturbances_next() has what was remembered. */
bool disturbances_time(struct disturbances *all, int64_t now, uint64_t keys);
bool disturbances_end(struct disturbances *all, int64_t now);

/* The limit of a key in ns, also kept in the key; 0: there is none; INT64_MAX: during the hold. `judged`: the key has limits of its own. */
int64_t disturbances_limit(const struct disturbances *all, struct disturbed *key, bool judged);

/* The next remembered value, in order of start, that is beyond the limit and beyond its key's own limit as known now. False: there are no more. */
bool disturbances_next(struct disturbances *all, struct sample *sample);

/* disturbances_first(): when the earliest remembered value began; INT64_MAX: there is none. disturbances_forget(): the series is about to go. */
int64_t disturbances_first(const struct disturbances *all);
void disturbances_forget(struct disturbances *all, const struct series *series);

#endif
