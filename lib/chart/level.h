/*
 * level: tracks the median of a stream of values, and detects lasting changes of it.
 *
 * The median is that of a histogram (chart/histogram.h), so that it is right for any distribution. Whether it has changed
 * is judged by a cumulative sum on each side: how often are values above LEVEL_RATIO times the median (or below the median divided by it)?
 * In the long run a share q of the values is, whatever their distribution; after a change one half or more. A value adds the
 * logarithm of the likelihood ratio of the two, log(0.5 / q) if it is beyond, log(0.5 / (1 - q)) if not, and a sum above
 * LEVEL_DECISION is a change (Page, "Continuous Inspection Schemes", 1954). So a change by less than LEVEL_RATIO does not count. While a change
 * is suspected, a second histogram keeps the values: its median is the new level, higher or lower than the old one.
 *
 * A third sum judges whether values beyond LEVEL_FAR times the median have become LEVEL_OFTEN times as frequent. A crowd
 * at a device can leave the median where it was while every tenth request waits for a second.
 *
 * Latencies are not independent: those of a working set that moves in and out of a cache come in runs. So the steps of the sums are
 * divided by the variance of the shares in batches of values, as a multiple of that of independent values, and by two for each change
 * that went away again.
 */
#ifndef CHART_LEVEL_H
#define CHART_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chart/histogram.h"

/* Each with the row of the bench (tests/bench/charts.c; here with 60000 values and 3 seeds) that gets worse without it. */
#define LEVEL_RATIO 1.4142135623730951 /* a change worth following; at 2 a climb is found after 2,670 values, not 1,828 */
#define LEVEL_FAR 8.0	    /* times the median; "every tenth value": without the third sum 160 alarms in nine minutes, not 0 */
#define LEVEL_OFTEN 4.0	    /* times as frequent as before; at 8 a shift of log-normal values is found in 18 of 20, not 19 */
#define LEVEL_DECISION 14.0 /* a sum above this is a change; at 7 log-normal values cry wolf 2.7 times, not 1 */
enum {
	LEVEL_FIRST = 100, /* values before any is judged: a baseline */
	LEVEL_LEAST = 32,  /* values that a change lasts before it counts; "20 of equal values": without it bursts count as changes */
	LEVEL_BATCHES = 2,
};

struct level_batch { /* the current batch of values, and the variance of full batches */
	int filled, beyond;
	double before; /* what the last full batch adds to `sum` when the next is full, unless a new level has begun; -1: none */
	double sum;
	int count;
};

struct level_side {
	uint64_t beyond; /* values beyond; their share of level.count is q */
	double sum, step[2]; /* the cumulative sum; what a value adds to it: [0] not beyond, [1] beyond */
	uint64_t run;	 /* values since the sum left zero... */
	int64_t since;	 /* ... and the time of the first of them */
	bool changed;	 /* the sum has passed the decision, and not returned to zero */
	int vanished;	 /* changes that did not last: each makes the next harder to believe */
	struct level_batch batch[LEVEL_BATCHES];
};

struct level {
	double median;
	uint64_t count;
	struct level_side up, down;
	struct level_side far; /* slow values have become frequent, though the median may be as it was */
	struct histogram usual, newest; /* newest: values since one of the sums became suspect */
	bool suspect;			/* the newest values may be of another level */
};

void level_free(struct level *level);

/* Begins a new level from these values. Reorders them. */
void level_begin(struct level *level, double *values, size_t count);

/* Begins a new level from its median and the standard deviation of the logarithms of its values. */
void level_resume(struct level *level, double median, double sigma);

/* Adds a value. Returns true if this value makes a change to higher values certain. */
bool level_add(struct level *level, double value, int64_t ts);

/* Tells whether the level has changed; sets *since to the time of the first value of the change. level->newest has the values since. */
bool level_has_changed(const struct level *level, int64_t *since);

/* After a gap in time: keeps the level, drops a change that has begun. */
void level_pause(struct level *level);

/* Makes the newest values the level from now on. */
void level_follow(struct level *level);

#endif
