/*
 * judge: takes each value of a series and says what it is: learnt, healthy or abnormal.
 */
#ifndef CHART_JUDGE_H
#define CHART_JUDGE_H

#include "chart/series.h"

/* Who wants to know; see measure.h. Each function returns 0, or -1 after fail(). */
struct measure_listener {
	void *context;
	int (*limits)(void *context, const struct series *series, int64_t ts);
	/* A bucket of healthy values: count, max and last are in series->thin; it began at `from`. */
	int (*healthy)(void *context, struct series *series, int64_t from);
	/* From this time on the context must be kept, until as many releases have come as holds. */
	int (*hold)(void *context, int64_t start);
	int (*release)(void *context);
	int (*signal)(void *context, const struct sample *sample);
	/* At the end: starts of a series that are no signal, for there are no limits, or an end may have come unseen. */
	int (*open)(void *context, const struct series *series, const struct unended *unended, int64_t now);
};

/* All functions return 0, or -1 when the listener did. */
struct judge {
	const struct judgement *judgement;
	struct measure_listener tell;
	uint64_t generation; /* grows when all limits are to be learnt anew */
};

/*
 * A value, whatever it came from. `forced`: that it is abnormal was told already. Tells the listener of limits when they become
 * known, of signals, and of the bucket of healthy values when that is over. *begun becomes true where
 * the limits are new.
 */
int judge_value(const struct judge *judge, struct series_set *set, const struct sample *sample, bool forced, bool *begun);

/* Tells of a signal by these rules, with the limits as they are now. */
int judge_signal(const struct judge *judge, const struct sample *sample, unsigned rules);

/* The same of a single value beyond the limit of such a one, whatever is charted: it has not ended, or was told of before it did. */
int judge_single(const struct judge *judge, const struct sample *sample);

/* Tells of the limits, once. */
int judge_tell_limits(const struct judge *judge, struct series *series, int64_t ts);

/* Writes the bucket at hand if it is over at this time; begins the one for it. */
int judge_time(const struct judge *judge, struct series_set *set, int64_t now);

/* The end of all input: makes limits from what was learnt if that is enough; the abnormal samples of the baseline are
 * then in series->worst. And the bucket at hand is written, over or not. */
int judge_last_limits(const struct judge *judge, struct series_set *set, int64_t now);
int judge_last_bucket(const struct judge *judge, struct series_set *set);

#endif
