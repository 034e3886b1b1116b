/*
 * series: the values of one chart and key, with their limits, learnt or given.
 *
 * A series learns from its first points (the baseline) and judges those that follow. If the learner wants it, the largest values
 * of the baseline are remembered, and judged once the limits are known, so that an incident in the baseline is found, too.
 *
 * A chart has a set of series, at most SERIES_MAX. If more keys come, the least recent series is dropped; if its key comes back, it
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
	SERIES_FEWEST = 8, /* points that limits need when no more will come */
	TALLY_THREADS = 8,
	THIN_KEPT = 255,
};

/* Of a chart that counts: the events of the current interval. All zero is an empty tally. Used by rate.c. */
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
 * exact up to THIN_KEPT values; beyond that, it is the median of a random sample of THIN_KEPT values.
 */
struct thin {
	uint64_t count;
	double max;
	int64_t last; /* time of the newest value */
	double kept[THIN_KEPT];
	uint64_t random;
};

/*
 * Signs: values beyond the warning line, which is half-way from the centre to the limit on the logarithmic scale. The largest of the last
 * hour are kept, in the order of time. The next signal of the series tells of them.
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
	bool judges, told; /* the limits are known; the listener has them */
	bool learns;	   /* a baseline is being gathered; if it judges already, to replace its limits */
	bool learns_all;   /* also from values beyond the limits, because these are out of date */
	const char *unit;  /* "share", "per_second", "per_n", "number"; NULL: a latency */
	int change;	   /* why the limits are new: the level went up (1) or down (-1); else 0 */
	int64_t changed;   /* since when */
	uint64_t forgotten; /* series that the set had dropped when this one came */
	uint64_t generation; /* that of struct judge when its baseline began */
	int starts;	   /* open starts, in any state */
	uint32_t ended;	   /* starts that have ended, modulo 2^32 */
	struct unended *unended; /* starts that may have ended unseen; NULL: none */
	struct limits limits, last_told;
	struct chart_lines lines;
	int64_t patience; /* ns: a start older than this is abnormal; INT64_MAX: none is */
	int64_t fixed;	  /* ns: a limit that was given, policy_fixed() */
	bool only_fixed;  /* nothing else makes signals: the policy of its chart */
	int64_t shortest; /* ns: a shorter time is no signal; see series_set_follow() */
	double single;	  /* the limit of a single value, from which `patience` comes */
	double warning;	  /* a value beyond it is a sign; INFINITY: none is */
	struct series_signs *signs; /* NULL: there are none */
	struct disturbed disturbed;  /* its own part in the disturbances of all keys */
	struct block_maxima *bursts; /* the limit of its bursts; NULL: none */
	struct thread_tally tally; /* of a chart that counts: the current interval */
	struct points baseline;
	struct plot plot;
	struct rules_past past;
	const struct learner *learner;
	void *learnt; /* its state */
	struct sample *worst; /* of the baseline, at most SERIES_WORST */
	int worst_count, worst_room;
	int64_t first;	 /* start of the first value: values from then on may yet turn out abnormal */
	int64_t touched; /* time of its last event or sample; an interval without events does not count */
	struct thin thin;
	struct digest digest; /* all values of this stream */
	bool signalled; /* its last value was a signal */
	struct start *open;		     /* starts whose age is watched, oldest first */
	struct series *prev_open, *next_open; /* series with such starts */
	UT_hash_handle hh;
};

/* Sets the unit of values that are no latencies. They have no fixed limit except one that names their chart. NULL: latencies. */
void series_be_in(struct series *series, const struct policy *policy, const char *unit);

/* Its limits are new: values are judged by them from now on. */
void series_judge_by(struct series *series, const struct policy *policy);

void series_forget_signs(struct series *series);

/* Tells whether a value is beyond the limit that the user gave. */
static inline bool series_is_beyond_fixed(const struct series *series, double value)
{
	return series->fixed < INT64_MAX && value > (double)series->fixed / 1e9;
}

enum { SERIES_MAX = 512 };

/* The clock of the buckets of healthy values, which all keys of a chart share. All zero is a new one. */
struct thin_clock {
	int64_t width, begin; /* of the current bucket, ns; width 0: not begun */
	int records;	      /* written with this width */
};

struct series_set {
	const struct policy *policy;
	int64_t shortest;      /* ns: a shorter time is no signal; 0: any may be one */
	struct disturbances *disturbances; /* of all keys; NULL: each key has its own limit only */
	bool bursts;	       /* each key has a limit of its bursts, too */
	int64_t due;	       /* when these limits are looked at next */
	struct series *series; /* uthash, in order of appearance */
	struct thin_clock clock;
	uint64_t forgotten; /* series that were dropped because there were too many */
	bool judged;	    /* the limits of some series are or were known */
	uint64_t values;    /* since `counted`, for their rate */
	int64_t counted;
};

void series_set_free(struct series_set *set);
void series_set_forget(struct series_set *set); /* all that was learnt */

/* A stream is over: keeps what was learnt, forgets times and runs of points, because the next stream may be of another time. */
void series_set_pause(struct series_set *set);

/* Takes over changed limits of disturbances or bursts, for all series or for one: a shorter time is no signal from now on. */
void series_set_follow(struct series_set *set);
void series_set_follow_bursts(const struct series_set *set, struct series *series);

/* Counts a value. The probability of a false alarm per value comes from these counts. */
void series_set_count(struct series_set *set, int64_t ts);
double series_set_rate(const struct series_set *set, int64_t ts); /* values a second; 0: not known */

/* A series by id; NULL: none yet. series_set_add() makes one; NULL if the set is full of series with open starts. */
struct series *series_set_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX]);
struct series *series_set_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key);

/* The least recent series without open starts, which is the one to drop if there are too many; NULL: all have open starts. */
struct series *series_set_coldest(const struct series_set *set);
void series_set_drop(struct series_set *set, struct series *series);

#endif
