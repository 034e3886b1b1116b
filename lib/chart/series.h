/*
 * series: the values of one chart and key, with their limits, learnt or given.
 *
 * A series learns from its first points (the baseline) and judges those that follow. Where the learner wants it, the largest values
 * of the baseline are remembered, and judged once the limits are known, so that an incident in the baseline is found, too.
 *
 * A chart has a set of them, at most SERIES_MAX. With more keys than that the least recent series is dropped; if its key comes back, it
 * learns again.
 */
#ifndef CHART_SERIES_H
#define CHART_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/timestamp.h"
#include "chart/block_maxima.h"
#include "chart/digest.h"
#include "chart/disturbances.h"
#include "chart/limits.h"
#include "chart/policy.h"
#include "chart/sample.h"

enum {
	SERIES_WORST = 16,   /* values of the baseline that are remembered with their circumstances */
	SERIES_SIGNS = 64,   /* values beyond the warning line that are remembered */
	SERIES_FEWEST = 8, /* points from which limits are made when no more will come */
	TALLY_THREADS = 8,
	THIN_KEPT = 255,
};

/* The events of the current interval, of a chart that counts. All zero is an empty tally. Used by rate.c. */
struct thread_tally {
	uint64_t events;  /* all */
	uint64_t counted; /* events that count */
	struct tally_thread {
		int32_t tid;
		uint64_t count; /* 0: free */
	} threads[TALLY_THREADS];
};

/*
 * The healthy values of the current bucket of time, thinned to a count, a median and a maximum. All zero is an empty one. The median is
 * exact up to THIN_KEPT values; beyond, it is the median of a sample of as many, each value equally likely in it.
 */
struct thin {
	uint64_t count;
	double max;
	int64_t last; /* time of the newest value */
	double kept[THIN_KEPT];
	uint64_t random;
};

/*
 * Values beyond the warning line, half-way from the centre to the limit on the logarithmic scale: of those of the last hour the largest, in
 * the order of time. The next signal of the series tells them.
 */
struct series_signs {
	int count;
	struct {
		int64_t ts;
		double value;
	} items[SERIES_SIGNS];
};

struct series {
	int64_t id[CHART_KEYS_MAX];
	char *chart, *key; /* key: NULL where the chart has no split */
	bool judges, told; /* the limits are known; the listener knows them too */
	bool learns;	   /* a baseline is being gathered; if it judges, too, to replace its limits */
	bool learns_all;   /* values beyond the limits, too, because these are out of date */
	const char *unit;  /* "share", "per_second", "per_n", "number"; NULL: a latency */
	int change;	   /* which way the level went when the limits were made anew for that: 1 up, -1 down; else 0 */
	int64_t changed;   /* since when */
	uint64_t forgotten; /* series of the set that had gone when this one came */
	uint64_t generation; /* the one of struct judge that its baseline was begun for */
	int starts;	   /* open, in whatever state */
	uint32_t ended;	   /* starts, modulo 2^32 */
	struct unended *unended; /* those that may have ended unseen; NULL: none */
	struct limits limits, last_told;
	struct chart_lines lines;
	int64_t patience; /* ns: a start older than this is abnormal; INT64_MAX: none is */
	int64_t fixed;	  /* ns: a limit that was given, policy_fixed() */
	int64_t shortest; /* ns: a shorter time is no signal; see series_set_follow() */
	double single;	  /* the limit that this comes from, of a single value */
	double warning;	  /* a value beyond it is a sign; INFINITY: none is */
	struct series_signs *signs; /* NULL: there are none */
	struct disturbed disturbed;  /* its part in the disturbances of all keys */
	struct block_maxima *bursts; /* they have a limit; NULL: they have none */
	struct thread_tally tally; /* of a chart that counts: the interval at hand */
	struct points baseline;
	struct plot plot;
	struct rules_past past;
	const struct learner *learner;
	void *learnt; /* its state */
	struct sample *worst; /* of the baseline, at most SERIES_WORST */
	int worst_count, worst_room;
	int64_t first;	 /* start of the first value: what is learnt from then on may yet turn out abnormal */
	int64_t touched; /* time of the last event or sample that was of it; an interval without any is none */
	struct thin thin;
	struct digest digest; /* all values of this stream */
	bool signalled; /* its last value was a signal */
	struct start *open;		     /* starts whose age is watched, oldest first */
	struct series *prev_open, *next_open; /* series with such starts */
	UT_hash_handle hh;
};

/* Sets the unit of values that are no latencies. They have no fixed limit except one that names their chart. NULL: latencies. */
void series_be_in(struct series *series, const struct policy *policy, const char *unit);

/* Its limits are known, or others now: values are judged by them. */
void series_judge_by(struct series *series, const struct policy *policy);

void series_forget_signs(struct series *series);

/* Tells whether a value is beyond the limit that was given. */
static inline bool series_is_beyond_fixed(const struct series *series, double value)
{
	return series->fixed < INT64_MAX && value > (double)series->fixed / 1e9;
}

enum { SERIES_MAX = 512 };

/* The clock of these buckets, which all keys of a chart share. All zero is a new one. */
struct thin_clock {
	int64_t width, begin; /* of the current bucket, ns; width 0: not begun */
	int records;	      /* written with this width */
};

struct series_set {
	const struct policy *policy;
	int64_t shortest;      /* ns: a shorter time is no signal; 0: any may be one */
	struct disturbances *disturbances; /* of all keys; NULL: each key has its own limit only */
	bool bursts;	       /* each key has a limit of its bursts, too */
	int64_t due;	       /* when these are looked at next */
	struct series *series; /* uthash, in order of appearance */
	struct thin_clock clock;
	uint64_t forgotten; /* series that went because there were too many */
	bool judged;	    /* the limits of a series are or were known */
	uint64_t values;    /* since `counted`, for their rate */
	int64_t counted;
};

void series_set_free(struct series_set *set);
void series_set_forget(struct series_set *set); /* all that was learnt */

/* A stream is over: keeps what is learnt, forgets what is timed or in a row, because the next stream may be of another time. */
void series_set_pause(struct series_set *set);

/* The limit of disturbances has changed, or that of a series' bursts: a shorter time is no signal of any series, or of this one. */
void series_set_follow(struct series_set *set);
void series_set_follow_bursts(const struct series_set *set, struct series *series);

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
