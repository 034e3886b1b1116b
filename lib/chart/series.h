/*
 * series: the values of one chart and key: what is normal for them, learnt or given, and which of them are not.
 *
 * A series learns from its first values (the baseline) and judges those that follow. So that an incident in the
 * baseline is not hidden by it, the largest values of the baseline are remembered and judged when the limits are known.
 * A set holds the series of one chart, SERIES_MAX of them: with more keys than that the coldest go and, should they
 * come back, learn again.
 */
#ifndef CHART_SERIES_H
#define CHART_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/memory.h"
#include "chart/limits.h"
#include "chart/sample.h"
#include "chart/thin.h"

enum {
	SERIES_MAX = 512,
	SERIES_WORST = 16,   /* values of the baseline that are remembered with their circumstances */
	SERIES_FEWEST = 8, /* values from which limits are made when no more will come */
};

struct judgement { /* how series judge, the same for all */
	const struct method *method;
	uint64_t baseline;
	double min_ratio; /* a signal has at least so many times the centre; 0: off */
	const struct limits_book *known; /* limits that need not be learnt; NULL: none */
};

struct series {
	int64_t id[CHART_KEYS_MAX];
	char *chart, *key; /* key: NULL where the chart has no split */
	bool judges, told; /* the limits are known; the listener knows them too */
	int starts;	   /* open, in whatever state */
	struct limits limits;
	int64_t patience; /* ns: a start older than this is abnormal */
	ARRAY(double) baseline;
	struct sample worst[SERIES_WORST];
	int worst_count;
	int64_t first;	 /* start of the first value: what is learnt from then on may yet turn out abnormal */
	int64_t touched; /* time of the last value */
	struct thin thin;
	struct start *open;		     /* starts whose age is watched, oldest first */
	struct series *prev_open, *next_open; /* series with such starts */
	UT_hash_handle hh;
};

struct series_set {
	const struct judgement *judgement;
	struct series *series; /* uthash, in order of appearance */
	struct thin_clock clock;
	uint64_t forgotten; /* series that went because there were too many */
};

void series_set_free(struct series_set *set);

/*
 * By id; NULL: none yet. series_add() makes one, with limits if they are known from a file; NULL where the set is full
 * of series with open starts.
 */
struct series *series_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX]);
struct series *series_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key);

/* Takes a value into the baseline; true when that is complete. */
bool series_learn(struct series *series, const struct judgement *judgement, const struct sample *sample);

/* Makes the limits from what was learnt. 0; -1 after fail(): too few values. The worst values are then in time order. */
int series_make_limits(struct series *series, const struct judgement *judgement);

/* Whether a value is beyond the limit and has practical weight. */
bool series_is_abnormal(const struct series *series, const struct judgement *judgement, double value);

#endif
