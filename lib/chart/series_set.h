/*
 * series_set: the series of one chart, at most SERIES_MAX. With more keys than that the least recent series is dropped; if its key comes
 * back, it learns again.
 */
#ifndef CHART_SERIES_SET_H
#define CHART_SERIES_SET_H

#include "chart/common.h"
#include "chart/series.h"

enum { SERIES_MAX = 512 };

/* The clock of these buckets, which all keys of a chart share. All zero is a new one. */
struct thin_clock {
	int64_t width, begin; /* of the current bucket, ns; width 0: not begun */
	int records;	      /* written with this width */
};

struct series_set {
	const struct policy *policy;
	int64_t shortest;      /* ns: a shorter time is no signal; 0: any may be one */
	struct common *common; /* NULL: each key has its own limit only */
	struct series *series; /* uthash, in order of appearance */
	struct thin_clock clock;
	uint64_t forgotten; /* series that went because there were too many */
	bool judged;	    /* the limits of a series are or were known */
	uint64_t values;    /* since `counted`, for their rate */
	int64_t counted;
};

void series_set_free(struct series_set *set);
void series_set_forget(struct series_set *set); /* all that was learnt */

/* series_pause() for each. */
void series_set_pause(struct series_set *set);

/* The common limit has changed: a shorter time is no signal of any series. */
void series_set_follow(struct series_set *set);

/* Counts a value. The probability of a false alarm per value comes from these counts. */
void series_set_count(struct series_set *set, int64_t ts);
double series_set_rate(const struct series_set *set, int64_t ts); /* values a second; 0: not known */

/* A series by id; NULL: none yet. series_set_add() makes one; NULL if the set is full of series with open starts. */
struct series *series_set_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX]);
struct series *series_set_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key);

/* The least recent series without open starts; NULL: all have some. It is dropped if there are too many. */
struct series *series_set_coldest(const struct series_set *set);
void series_set_drop(struct series_set *set, struct series *series);

#endif
