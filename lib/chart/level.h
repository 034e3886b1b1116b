/*
 * level: tracks the median of a stream of values, and detects lasting changes of it.
 *
 * The median is that of a histogram (chart/histogram.h), so that it is right for any distribution. Whether it has changed
 * is judged by a cumulative sum on each side: how often are values beyond LEVEL_RATIO times the median (or below it divided by that)?
 * In the long run that is a share q of them, whatever their distribution; after a change it is one half or more. A value adds the
 * logarithm of the likelihood ratio of the two, log(0.5 / q) if it is beyond, log(0.5 / (1 - q)) if not, and a sum above
 * LEVEL_DECISION is a change (Page, "Continuous Inspection Schemes", 1954). So changes by less than LEVEL_RATIO are none. While a change is
 * suspected, a histogram of their own keeps all values: its median is the new level, higher or lower than the old one.
 *
 * A third sum looks at values beyond LEVEL_FAR times the median: whether they are LEVEL_OFTEN times as frequent as they were. A crowd
 * at a device can leave the median where it was while every tenth request waits for a second.
 *
 * Latencies are not independent: those of a working set that moves in and out of a cache come in runs. So the sums' steps are
 * divided by how much more the shares of batches of values vary than those of independent values would, and by two for each change
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
#define LEVEL_OFTEN 4.0	    /* times as frequent; at 8 a shift of log-normal values is found in 18 of 20, not 19 */
#define LEVEL_DECISION 14.0 /* of a sum; at 7 log-normal values cry wolf 2.7 times, not 1 */
enum {
	LEVEL_FIRST = 100, /* values before any is judged: a baseline */
	LEVEL_LEAST = 32,  /* values that a change lasts before it counts; "20 of equal values": without it bursts count as changes */
	LEVEL_BATCHES = 2,
};

struct level_batch { /* of values; see above */
	int filled, beyond;
	double before; /* what the batch before this one adds, which counts when no change was found since; -1: none */
	double sum;
	int count;
};

struct level_side {
	uint64_t beyond; /* values; the share q is of level.count */
	double sum, step[2]; /* the cumulative sum; what a value not beyond, or beyond, adds to it */
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

/* Begins a new level from values of one level. Reorders them. */
void level_begin(struct level *level, double *values, size_t count);

/* Begins a new level from its median and the standard deviation of its logarithms. */
void level_resume(struct level *level, double median, double sigma);

/* Adds a value. True: this value makes a change to higher values certain. */
bool level_add(struct level *level, double value, int64_t ts);

/* Tells whether the level has changed; sets *since to the time of the first value of the change. level->newest has the values since. */
bool level_has_changed(const struct level *level, int64_t *since);

/* A gap in time: keeps the level, drops a change that has begun. */
void level_pause(struct level *level);

/* Makes the newest values the level from now on. */
void level_follow(struct level *level);

#endif
