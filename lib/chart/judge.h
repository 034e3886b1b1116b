/*
 * judge: takes each value of a series and decides whether it is learnt, healthy or abnormal. It makes the limits of a series from the
 * baseline, and later takes the limits that the series' learner has found.
 */
#ifndef CHART_JUDGE_H
#define CHART_JUDGE_H

#include "chart/series.h"

/* Receives the results; see measure.h. Each function returns 0; -1 after fail(). */
struct measure_listener {
	void *context;
	int (*limits)(void *context, const struct series *series, int64_t ts);
	/* A bucket of healthy values, in series->thin, that began at `from`. */
	int (*healthy)(void *context, const struct series *series, int64_t from, double median);
	/* Keep the context from `start` on, until each hold has its release. */
	int (*hold)(void *context, int64_t start);
	int (*release)(void *context);
	int (*signal)(void *context, const struct sample *sample);
	/*
	 * If begins() is NULL, values are judged. Else nothing is judged, and each request, from a start to its end, is handed over: to begins(),
	 * to ends() if its end is seen, and in any case to gone() as soon as it is known to be over.
	 */
	int (*begins)(void *context, struct sample *request);
	int (*ends)(void *context, const struct sample *request);
	void (*gone)(void *context, const struct sample *request);
	/* At the end: the digest of a series' values. NULL: it is not wanted. */
	int (*digest)(void *context, const struct series *series);
	/* At the end: open starts that are no signals, because there are no limits, or because their ends may have come unseen. */
	int (*open)(void *context, const struct series *series, const struct unended *unended, int64_t now);
};

/* Functions that take it return 0, or -1 when the listener did. */
struct judge {
	const struct policy *policy;
	struct measure_listener tell;
	uint64_t generation; /* add 1 to relearn all limits */
};

/*
 * Judges a value. `forced`: it was reported as abnormal before it ended. Calls the listener for new limits, for signals, and for each
 * bucket of healthy values that is over. Sets *begun if the limits are new.
 */
int judge_value(const struct judge *judge, struct series_set *set, const struct sample *sample, bool forced, bool *begun);

/* Reports a signal by these rules, with the current limits. */
int judge_signal(const struct judge *judge, const struct sample *sample, unsigned rules);

/* Reports a value that has not ended, or was reported before, as beyond the limit of single values, even if means are charted. */
int judge_single(const struct judge *judge, const struct sample *sample);

/* Reports the limits, once. */
int judge_tell_limits(const struct judge *judge, struct series *series, int64_t ts);

/*
 * Advances the time. Reports the current bucket of healthy values if it is over, and begins the next. If a limit of block maxima is new, sets
 * *begun and reports the remembered values that are beyond it.
 */
int judge_time(const struct judge *judge, struct series_set *set, int64_t now, bool *begun);

/* At the end of all input, after judge_last_limits(): makes the limits of block maxima that can be made. */
void judge_last_maxima(struct series_set *set, int64_t now);

/* At the end of all input. judge_last_limits() makes limits from what was learnt if that is enough; the abnormal samples of the baseline
 * are then in series->worst. judge_last_bucket() reports the current bucket, whether it is over or not. */
int judge_last_limits(const struct judge *judge, struct series_set *set, int64_t now);
int judge_last_bucket(const struct judge *judge, struct series_set *set);

/* Reports the digests. */
int judge_digests(const struct judge *judge, struct series_set *set);

#endif
