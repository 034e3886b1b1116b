/*
 * tail: the limit that a stream of values passes with a given probability, from the largest values seen.
 *
 * Peaks over threshold (Siffer et al., "Anomaly Detection in Streams with Extreme Value Theory", KDD 2017): the excess over
 * a high threshold u follows a generalized Pareto distribution of shape xi and scale sigma, whatever the values' own
 * distribution is (Pickands, Balkema, de Haan). With k of n values above u, a value passes the limit z with probability p:
 *
 *	z = u + sigma / xi * ((p n / k) ^ -xi - 1)		(their equation 1)
 *
 * Three things differ from the paper's SPOT.
 *
 * The threshold moves: of n values the largest sqrt(n) are above it, but at least TAIL_LEAST, fewer than TAIL_KEPT, and at most TAIL_SHARE
 * of all. So it rises with the number of values, and a slow path that a hundredth of all values take is seen as a tail.
 *
 * A value beyond the limit is censored: the tail learns that it was beyond the limit of its time, not how far. SPOT leaves such values
 * out, which cuts the tail at the limit again and again: on log-normal streams of two million values this gave 2.6 times the alarms asked
 * for, censoring gave 0.99 times. The length of an incident does not lift the limit; its frequency does.
 *
 * The limit is at most TAIL_BEYOND times the largest value seen. That is the largest value within the limits of its time, or the largest
 * beyond them if that is more; but the latter counts as at most TAIL_OUTER times the next largest beyond them, because one incident alone
 * does not show what is usual. If a tail falls with the power -a, the value after n others is beyond TAIL_BEYOND times the largest with a
 * probability of TAIL_BEYOND^-a / n: a few false alarms in all, however many values. Without this bound, a fit to some dozens of values may
 * put a limit of one in a million anywhere.
 *
 * Values may be all equal but for a few. A value equal to the threshold is not above it, so these few are the tail. If no value above the
 * threshold was ever within the limits, there is nothing to fit. Then the limit is the threshold, until the values beyond it are one in
 * TAIL_USUAL, or have come TAIL_FEWEST times. From then on the limit is the largest of them.
 *
 * The fit is by maximum likelihood, with shapes from 0 (an exponential tail) up: a latency has no largest possible value, and the
 * negative shapes that small samples suggest would put the limit right behind the largest value seen.
 *
 * Memory: TAIL_KEPT values, and at most TAIL_CENSORED censored ones. Learning costs a comparison for most values, and a step
 * in a heap for the largest. A fit costs some 140 passes over the tail; it is made when the number of values has grown by a tenth.
 */
#ifndef CHART_TAIL_H
#define CHART_TAIL_H

#include <stdbool.h>
#include <stdint.h>

/* Each with the row of the bench (tests/bench/charts.c; here with 60000 values and 3 seeds) that gets worse without it. */
enum {
	TAIL_KEPT = 2000,     /* the largest values; a bound on memory, 16 kB a key */
	TAIL_CENSORED = 1000, /* values beyond the limit; the same, 8 kB */
	TAIL_LEAST = 40,      /* exceedances of a fit, if TAIL_SHARE of the values are that many; at 80 a tenth more alarms on two paths */
	TAIL_FEWEST = 15,     /* exceedances that a fit needs; at 30 Pareto cries wolf 17.7 times, not 11 */
	TAIL_USUAL = 300,     /* one value in 300 is usual; at 100 a slow path of 1 % is not: 420 alarms, not 11; at 1000 incidents are learnt */
};
#define TAIL_SHARE 0.2	/* at 0.1 Pareto cries wolf 17.7 times, not 11 */
#define TAIL_BEYOND 2.0 /* at 1.5 log-normal cries wolf 3.3 times, not 1; at 4 incidents after few values are missed (Pareto: 18 %, not 62) */
#define TAIL_OUTER 2.5	/* times the next largest; without it one incident lifts the limit: Pareto, spikes found: 17, not 18 of 20 */

struct tail;

/* The tail above a threshold. count 0: there is none. */
struct tail_fit {
	double threshold, shape, scale;
	double largest; /* the value that bounds the limit; see above */
	uint64_t count; /* all values that it was made from; `share` of them are above the threshold */
	double share;
};

/* The limit that a value passes with probability p, 0 < p < 1; at most TAIL_BEYOND times the largest value, because no fit reaches further. */
double tail_fit_limit(const struct tail_fit *fit, double p);

/* The same, but at most `reach` times the largest value. */
double tail_fit_limit_within(const struct tail_fit *fit, double p, double reach);

/*
 * The limit that a tail of the expected shape passes with probability p, as a multiple of the largest of `count` values; at least TAIL_BEYOND.
 * A value passes the largest one with probability 1 / count, and the tail falls with a power.
 */
double tail_reach(uint64_t count, double p);

struct tail *tail_new(void);
void tail_free(struct tail *tail);
void tail_forget(struct tail *tail); /* as new */

/* Learns a value that is within the limits. */
void tail_learn(struct tail *tail, double value);

/* Learns that a value lay beyond this limit. One value of an incident is enough. */
void tail_learn_beyond(struct tail *tail, double limit, double value);

/*
 * Forgets the largest values, at most `most` of them, if the least of these is above `floor` and above `gap` times the next lower value.
 * Returns how many it forgot.
 */
int tail_forget_outliers(struct tail *tail, double gap, int most, double floor);

uint64_t tail_count(const struct tail *tail); /* values learnt */

/* Tells whether there are enough values for a fit: TAIL_FEWEST / TAIL_SHARE. */
bool tail_is_ready(const struct tail *tail);

/* The fit, made anew if enough has been learnt since the last one; needs tail_is_ready(). Valid until the next call. */
const struct tail_fit *tail_fit(struct tail *tail);

#endif
