/*
 * series: the values of one chart and key: what is normal for them, learnt or given, and which of them are not.
 *
 * A series learns from its first points (the baseline) and judges those that follow. Where the learner wants it, the largest values
 * of the baseline are remembered and judged when the limits are known, so that an incident in it is not hidden by it.
 * A set holds the series of one chart, SERIES_MAX of them: with more keys than that the coldest go and, should they
 * come back, learn again.
 */
#ifndef CHART_SERIES_H
#define CHART_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "chart/judgement.h"
#include "chart/learner.h"
#include "chart/limits.h"
#include "chart/sample.h"
#include "chart/tally.h"
#include "chart/thin.h"

enum {
	SERIES_MAX = 512,
	SERIES_WORST = 16,   /* values of the baseline that are remembered with their circumstances */
	SERIES_FEWEST = 8, /* points from which limits are made when no more will come */
};

struct series {
	int64_t id[CHART_KEYS_MAX];
	char *chart, *key; /* key: NULL where the chart has no split */
	bool judges, told; /* the limits are known; the listener knows them too */
	bool learns;	   /* a baseline is being gathered; if it judges too, to take the place of its limits */
	bool learns_all;   /* also what is beyond the limits, for they are out of date */
	const char *unit;  /* "share", "per_second", "per_n", "number"; NULL: a latency */
	int change;	   /* which way the level went when the limits were made anew for that: 1 up, -1 down; else 0 */
	int64_t changed;   /* since when */
	uint64_t forgotten; /* series of the set that had gone when this one came */
	uint64_t generation; /* the one of struct judge that its baseline was begun for */
	int starts;	   /* open, in whatever state */
	uint32_t ended;	   /* starts, modulo 2^32 */
	struct unended *unended; /* those that may have ended unseen; NULL: none */
	struct limits limits, last_told;
	struct lines lines;
	int64_t patience; /* ns: a start older than this is abnormal; INT64_MAX: none is */
	int64_t fixed;	  /* ns: a limit that was given, judgement_fixed() */
	int64_t shortest; /* as the set's */
	double single;	  /* the limit that this comes from, of a single value */
	struct tally tally; /* of a chart that counts: the interval at hand */
	struct points baseline;
	struct plot plot;
	struct rules_past past;
	const struct learner *learner;
	void *learnt; /* its state */
	struct sample worst[SERIES_WORST];
	int worst_count;
	int64_t first;	 /* start of the first value: what is learnt from then on may yet turn out abnormal */
	int64_t touched; /* time of the last event or sample that was of it; an interval without any is none */
	struct thin thin;
	struct start *open;		     /* starts whose age is watched, oldest first */
	struct series *prev_open, *next_open; /* series with such starts */
	UT_hash_handle hh;
};

struct series_set {
	const struct judgement *judgement;
	int64_t shortest;      /* ns: a shorter time is no signal; 0: any may be one */
	struct series *series; /* uthash, in order of appearance */
	struct thin_clock clock;
	uint64_t forgotten; /* series that went because there were too many */
	bool judged;	    /* the limits of a series are or were known */
	uint64_t values;    /* since `counted`, for their rate */
	int64_t counted;
};

void series_set_free(struct series_set *set);

/* A stream is over: what is learnt stays, what is timed or in a row is forgotten, for the next may be of another time. */
void series_set_pause(struct series_set *set);

/* Counts a value; from these counts comes the probability of a false alarm per value. */
void series_set_count(struct series_set *set, int64_t ts);
double series_set_rate(const struct series_set *set, int64_t ts); /* values a second; 0: not known */

/*
 * By id; NULL: none yet. series_add() makes one, with limits if they are known from a file; NULL where the set is full
 * of series with open starts.
 */
struct series *series_find(const struct series_set *set, const int64_t id[CHART_KEYS_MAX]);
struct series *series_add(struct series_set *set, const int64_t id[CHART_KEYS_MAX], const char *chart, const char *key);

/* The least recent that may go, for it has no open starts; NULL: none may. It goes where there are too many. */
struct series *series_set_coldest(const struct series_set *set);
void series_set_drop(struct series_set *set, struct series *series);

/* What is no latency has a unit, and no fixed limit but one that was given to its chart by name. NULL: it is one, as far as is known. */
void series_set_unit(struct series *series, const struct judgement *judgement, const char *unit);

/* A value becomes a point, alone or with others. False: its subgroup is not complete. */
bool series_point(struct series *series, const struct judgement *judgement, const struct sample *sample, struct point *point);

/* The rules that hold at a point of this time; *plotted is where it lies on the chart. */
unsigned series_judge(struct series *series, const struct judgement *judgement, const struct point *point, int64_t ts, double *plotted);

/* What the learner makes of a judged point. Its new limits, if it says so, are made by series_refine(). */
struct lesson series_learn(struct series *series, const struct judgement *judgement, const struct sample *sample, double plotted,
			   bool signalled);

/* Takes the learner's new limits; the probability is that of a false alarm. True: they have changed enough to be told. */
bool series_refine(struct series *series, const struct judgement *judgement, const struct lesson *lesson, double probability);

/* Takes a point into the baseline; true when that is complete. */
bool series_gather(struct series *series, const struct judgement *judgement, const struct sample *sample,
		   const struct point *point);

/* A new baseline begins; until it is complete the limits stay as they are. series_outdated(): as a lesson says. */
void series_relearn(struct series *series);
void series_outdated(struct series *series, const struct lesson *lesson);

/*
 * Makes the limits from the baseline; the probability is that of a false alarm, for learners that ask for it. 0; -1 after
 * fail(): too few points. The worst values are then in time order. Of less than a baseline they hold only until there is one, should
 * more come, unless the learner goes on from them.
 */
int series_make_limits(struct series *series, const struct judgement *judgement, double probability);

/* Whether a value is beyond the limit that was given. */
static inline bool series_is_beyond_fixed(const struct series *series, double value)
{
	return series->fixed < INT64_MAX && value > (double)series->fixed / 1e9;
}

/* Whether a single value is beyond the limit, by rule 1, and has practical weight. */
bool series_is_abnormal(const struct series *series, const struct judgement *judgement, double value);

/* Whether a point that a rule holds at has practical weight. */
bool series_has_weight(const struct series *series, const struct judgement *judgement, double plotted);

#endif
