/*
 * pot: a limit asked for as a rate of false alarms, by peaks over threshold (chart/tail.h), and the level of the values
 * (chart/level.h).
 *
 * It begins with a baseline. What lies far above all other values of it (POT_GAP times the next lower, and beyond the robust limit of the
 * log-normal distribution) is taken for abnormal; the rest is the beginning of the tail. With so few values that there is no tail,
 * the limit is the log-normal one: so far above the median that a value is beyond it with the probability asked for.
 *
 * Values that were signalled count in the tail only as values beyond the limit, and of an incident only the first: one that
 * comes soon after the one before is of the same incident. Soon is within an eighth as many values as are known, for what was not
 * seen in so many and now comes every hundredth time is no part of what is usual; but not more than POT_BURST_MOST, and
 * less than false alarms are apart. An incident that has lasted for POT_USUAL is usual by then: a value of it is
 * learnt every POT_BURST values. While the level is suspect nothing is learnt.
 */
#ifndef CHART_POT_H
#define CHART_POT_H

#include "base/number.h"
#include "chart/level.h"
#include "chart/method.h"

enum { POT_BURST = 16, POT_BURST_MOST = 512 };
#define POT_GAP 5.0
#define POT_USUAL (10 * NSEC_PER_SEC)

struct pot {
	struct tail *tail;
	struct tail_fit known; /* from a file */
	bool held;	       /* the limits came from a file, and stay until the level changes or a new baseline is learnt */
	struct level level;
	double median, sigma; /* of the logarithms; sigma robust */
	uint64_t since_signal; /* values since the last one */
	uint64_t since_learnt; /* since the last signalled one that was learnt */
	int64_t incident;      /* when the incident of the last signal began */
	uint64_t due;	       /* as many values learnt as the limits are to be made anew from */
	double limit;	       /* as used now */
	double probability;    /* of a value beyond it */
};

struct pot *pot_new(void);
void pot_free(struct pot *pot);

/*
 * Begins anew with a baseline, on the logarithmic scale, the limits that method_limits() gave for it, and the probability of
 * a false alarm. pot_resume() begins with limits from a file instead, and no values.
 */
void pot_begin(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability);
void pot_resume(struct pot *pot, const struct limits *limits);

/* Learns a value. True: with it, a change to higher values is first certain. */
bool pot_learn(struct pot *pot, double value, bool signalled, int64_t ts);

/* Whether it is time to make the limits anew. */
static inline bool pot_is_due(const struct pot *pot)
{
	return tail_count(pot->tail) >= pot->due && !level_is_suspect(&pot->level);
}

/* Makes the limits for this probability of a false alarm. */
void pot_limits(struct pot *pot, double probability, struct limits *limits);

#endif
