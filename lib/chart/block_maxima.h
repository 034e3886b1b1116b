/*
 * block_maxima: a limit of the largest values of blocks of time, beside the limits of single values.
 *
 * Values of one time may have one reason: a call that loses the CPU takes as long as the others' turns last, whichever call it is; of requests
 * that are queued at once each waits for those before it. So of those that end in the same block of time, a tenth of a second, only the largest
 * counts. These largest values (the block maxima of extreme value theory) have a limit of their own, by the same method (pot) and rate of false
 * alarms.
 *
 * There is one for the bursts of one key (maxima_of_bursts): all its values count. Another is of what disturbs all keys (chart/disturbances.h).
 *
 * It begins when the first key has limits, with MAXIMA_HOLD, in which there are no signals; the largest values are judged at its end. The limit of
 * bursts needs two of them only, because a short recording may be an incident for the most part, and what comes after its begin says nothing of
 * what is usual. Until there are enough for the method's tail, the limit comes from Student's distribution, and reaches no farther than a tail of
 * the expected shape from the largest value, or than the kind says.
 */
#ifndef CHART_BLOCK_MAXIMA_H
#define CHART_BLOCK_MAXIMA_H

#include "chart/sample.h"

struct block_maxima;

enum { MAXIMA_BLOCK = 100000000 }; /* ns; to look more often is of no use */

struct maxima_kind {
	bool of_keys;	/* the values are of several keys, and what befalls one key alone is none of theirs */
	bool hasty;	/* there is a limit as soon as there are enough values, before the hold is over */
	uint64_t least; /* values that a limit needs where the chart has a shortest value, which any machine has; two elsewhere */
	int64_t apart;	/* ns: where the hold ends without a limit, only one value in so long counts */
	double reach;	/* the limit is at most this many times the largest value; 0: at most as far as a tail reaches */
	int sharers;	/* limits that share the false alarms; 0: one for each key of the chart */
	bool (*is_beyond)(const struct block_maxima *maxima, const struct sample *sample); /* the limit that its key has, when there is one */
};

extern const struct maxima_kind maxima_of_bursts;

/* A time shorter than `shortest` (ns; 0: not known) is no signal. NULL: these choices have no use for it. */
struct block_maxima *maxima_new(const struct policy *policy, const struct maxima_kind *kind, int64_t shortest);
void maxima_free(struct block_maxima *maxima); /* NULL is allowed */

/* Forgets what was learnt. */
void maxima_empty(struct block_maxima *maxima);

/* A stream is over; the next may be of another time. */
void maxima_pause(struct block_maxima *maxima);

/* Takes a value of the block at hand. */
void maxima_take(struct block_maxima *maxima, const struct sample *sample);

/* Takes a value beyond its key's own limit: whether it is beyond this one, too. During the hold it is remembered instead. */
bool maxima_judge(struct block_maxima *maxima, const struct sample *sample);

/*
 * The time passes, once a key has limits, or the input ends. With another limit (at the end: true) what was remembered can be told. `keys`:
 * how many keys of the chart share the false alarms.
 */
enum maxima_step { MAXIMA_SAME, MAXIMA_BLOCK_OVER, MAXIMA_OTHER_LIMIT } maxima_time(struct block_maxima *maxima, int64_t now, uint64_t keys);
bool maxima_end(struct block_maxima *maxima, int64_t now);

/* In seconds; only where there is one: maxima_judges(). maxima_limit_at() is passed with this probability by the largest value of a block. */
bool maxima_judges(const struct block_maxima *maxima);
double maxima_limit(const struct block_maxima *maxima);
double maxima_limit_at(const struct block_maxima *maxima, double probability);

/* A limit of these, in ns: `limit` where there is one, else 0; INT64_MAX during the hold. */
int64_t maxima_ns(const struct block_maxima *maxima, double limit);

/* The bulk of the largest values is not above this, in seconds. */
double maxima_usual(const struct block_maxima *maxima);

/* The next of what was remembered that is beyond the limit, and beyond its key's own as it is known now, in order of start. False: there is no more. */
bool maxima_next(struct block_maxima *maxima, struct sample *sample);

/* When the oldest that is remembered began; INT64_MAX: nothing is. A series will be no more. */
int64_t maxima_first(const struct block_maxima *maxima);
void maxima_forget(struct block_maxima *maxima, const struct series *series);

#endif
