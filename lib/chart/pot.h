/*
 * pot: a limit asked for as a rate of false alarms, by peaks over threshold (chart/tail.h), and the level of the values
 * (chart/level.h).
 *
 * It begins with a baseline, from which the robust limits of the log-normal distribution come: the limit lies so far above the median
 * that a value is beyond it with the probability asked for. Once the tail has values enough, the limit comes from it.
 *
 * Values that were signalled count in the tail only as values beyond the limit, and of an incident only the first: one that
 * comes within POT_BURST values of the one before is of the same incident. While the level is suspect nothing is learnt.
 *
 * Nor can an incident lift the limit by its number of values: what bounds the limit, TAIL_BEYOND times the largest value, grows twice by
 * that factor at once, and then once in POT_STEP.
 */
#ifndef CHART_POT_H
#define CHART_POT_H

#include "base/number.h"
#include "chart/level.h"
#include "chart/method.h"

enum { POT_BURST = 32 };
#define POT_STEPS 2.0
#define POT_STEP (10 * NSEC_PER_SEC)

struct pot {
	struct tail *tail;
	struct tail_fit known; /* from a file */
	bool held;	       /* the limits came from a file, and stay until the level changes or a new baseline is learnt */
	struct level level;
	double median, sigma; /* of the logarithms; sigma robust */
	uint64_t since_signal; /* values since the last one */
	uint64_t due;	       /* as many values learnt as the limits are to be made anew from */
	double limit;	       /* as used now */
	double cap;	       /* which the limit does not pass; it grows in steps, each by TAIL_BEYOND */
	double steps;	       /* that it may grow now */
	int64_t stepped;       /* when that was reckoned */
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
void pot_limits(struct pot *pot, double probability, int64_t now, struct limits *limits);

#endif
