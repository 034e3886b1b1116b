/*
 * block_maxima: a limit of the largest values of blocks of time, beside the limits of single values.
 *
 * Values of one time may have one reason: a call that loses the CPU takes as long as the turns of the other threads, whichever call it is; if
 * requests are queued at once, each waits for those before it. So of the values that end in the same block of time, a tenth of a second, only the
 * largest counts. These largest values (the block maxima of extreme value theory) have a limit of their own, by the same method (pot) and rate of
 * false alarms.
 *
 * There are two kinds. One limits the bursts of one key (maxima_of_bursts): all its values count. The other limits what disturbs all keys
 * (chart/disturbances.h).
 *
 * Once a key has limits, the block maxima begin with a hold of three seconds, in which there are no signals; the largest values are judged at its
 * end. The limit of bursts needs only two values and then ends the hold, because most of a short recording may be an incident, and what follows
 * the beginning of an incident does not show what is usual. Until there are enough values for the method's tail, the limit comes from Student's
 * distribution. It reaches no farther from the largest value than a tail of the expected shape, or than the kind says.
 */
#ifndef CHART_BLOCK_MAXIMA_H
#define CHART_BLOCK_MAXIMA_H

#include "chart/sample.h"

struct block_maxima;

enum { MAXIMA_BLOCK = 100000000 }; /* ns; to look more often is of no use */

struct maxima_kind {
	bool of_keys;	/* the values are of several keys; what only one key has does not raise the limit */
	bool hasty;	/* there is a limit as soon as there are enough values, before the hold is over */
	uint64_t least; /* values that a limit needs if the chart has a shortest value, which counts as seen; without one, two */
	int64_t apart;	/* ns: if the hold ends without a limit, only one value in this time counts from then on */
	double reach;	/* the limit is at most this many times the largest value; 0: at most as far as a tail reaches */
	int sharers;	/* limits that share the false alarms; 0: one for each key of the chart */
	bool (*is_beyond)(const struct block_maxima *maxima, const struct sample *sample); /* its key's part of the limit; once there is one */
};

extern const struct maxima_kind maxima_of_bursts;

/* A time shorter than `shortest` (ns; 0: not known) is no signal. NULL: the policy has no use for such a limit. */
struct block_maxima *maxima_new(const struct policy *policy, const struct maxima_kind *kind, int64_t shortest);
void maxima_free(struct block_maxima *maxima); /* NULL is allowed */

/* Forgets what was learnt. */
void maxima_empty(struct block_maxima *maxima);

/* A stream is over; the next may be of another time. */
void maxima_pause(struct block_maxima *maxima);

/* Takes a value of the current block. */
void maxima_take(struct block_maxima *maxima, const struct sample *sample);

/* Tells whether a value beyond its key's own limit is beyond this one, too. During the hold the answer is no, and the value is remembered. */
bool maxima_judge(struct block_maxima *maxima, const struct sample *sample);

/*
 * Advance the time, from when a key has limits to the end of the input. After MAXIMA_OTHER_LIMIT, or true at the end, maxima_next() has what was
 * remembered. `keys`: how many keys of the chart share the false alarms.
 */
enum maxima_step { MAXIMA_SAME, MAXIMA_BLOCK_OVER, MAXIMA_OTHER_LIMIT } maxima_time(struct block_maxima *maxima, int64_t now, uint64_t keys);
bool maxima_end(struct block_maxima *maxima, int64_t now);

/* The limit in seconds, if there is one: maxima_judges(). The largest value of a block passes maxima_limit_at() with this probability. */
bool maxima_judges(const struct block_maxima *maxima);
bool maxima_is_settled(const struct block_maxima *maxima); /* as many blocks had a value, since the stream began, as the method asks of a baseline */
double maxima_limit(const struct block_maxima *maxima);
double maxima_limit_at(const struct block_maxima *maxima, double probability);

/* One of these limits in ns: `limit` if there is one, else 0; INT64_MAX during the hold. */
int64_t maxima_ns(const struct block_maxima *maxima, double limit);

/* The bulk of the largest values is not above this, in seconds. */
double maxima_usual(const struct block_maxima *maxima);

/* The next remembered value, in order of start, that is beyond the limit and beyond its key's own limit as known now. False: there are no more. */
bool maxima_next(struct block_maxima *maxima, struct sample *sample);

/* maxima_first(): when the earliest remembered value began; INT64_MAX: there is none. maxima_forget(): the series is about to go. */
int64_t maxima_first(const struct block_maxima *maxima);
void maxima_forget(struct block_maxima *maxima, const struct series *series);

#endif
