/*
 * pot: a limit asked for as a rate of false alarms, by peaks over threshold (chart/tail.h), and the level of the values
 * (chart/level.h).
 *
 * It begins with a baseline. What lies far above all other values of it (POT_GAP times the next lower, and beyond the robust limit of the
 * log-normal distribution) is taken for abnormal, if that is POT_OUTLIERS of it at most; the rest is the beginning of the tail. With so
 * few values that there is no tail, the limit is the log-normal one: so far above the median that a value is beyond it with the
 * probability asked for.
 *
 * Limits are of what is usual, so what is signalled must not make itself usual: Shewhart's limits come from values from which those
 * with a special cause were taken out, and stay. A tail, though, that never learns what lies beyond its limit is cut there again and
 * again (chart/tail.h). Both hold here: of a tail that falls with the power -a a share of POT_STRANGE^-a of what is beyond the
 * limit is beyond POT_STRANGE times it, 6 % with a = 2.5. So
 *
 * - a value up to POT_STRANGE times the limit is learnt, as one beyond the limit, unless most of what came beyond it was farther out, for
 *   then it is of the same kind;
 * - a value farther out is strange to the tail and is not learnt, however often it comes, unless it is one of POT_SHARE of all values,
 *   two of them at least (a slow path that the baseline was too short for), or POT_OFTEN of them came in POT_LONG. Then
 *   they are what the machine does, and are learnt as beyond the limit; the limits say so.
 *
 * Of an incident only the first value counts: one that comes soon after the one before is of the same incident. Soon is within an eighth as
 * many values as are known, for what was not seen in so many and now comes every hundredth time is no part of what is usual; but not
 * more than POT_BURST_MOST (of strange values POT_APART, for a slow path may be one of a hundred), and less than false alarms are apart.
 * Of an incident that has lasted for POT_USUAL a value that is not strange is learnt every POT_BURST values. While the level is suspect
 * nothing is learnt.
 *
 * When the level changes a new tail begins, with the values since the change was suspected, without outliers as in a baseline. The
 * limit of the level before is remembered (chart/former.h), and the limit is not lower meanwhile.
 */
#ifndef CHART_POT_H
#define CHART_POT_H

#include "base/number.h"
#include "chart/former.h"
#include "chart/level.h"
#include "chart/method.h"

enum { POT_BURST = 16, POT_BURST_MOST = 512, POT_APART = 64, POT_SHARE = TAIL_USUAL, POT_OFTEN = 120 };
#define POT_GAP 5.0
#define POT_STRANGE 3.0
#define POT_OUTLIERS 0.05
#define POT_USUAL (10 * NSEC_PER_SEC)
#define POT_LONG (60 * NSEC_PER_SEC)

/* Values beyond POT_STRANGE times the limit that were not learnt. */
struct pot_strange {
	uint64_t count;	   /* of incidents */
	uint64_t apart;	   /* values since the last one; more than POT_APART are between incidents, in any case */
	uint64_t near;	   /* incidents of values that were not so far out */
	double largest[2]; /* the larger first */
	int64_t since;	   /* a period of POT_LONG... */
	uint64_t often;	   /* ... and how many came in it */
	bool usual;	   /* in the period before were so many that they are learnt in this one */
};

struct pot {
	struct tail *tail;
	struct tail *newest;   /* values since the level became suspect */
	struct tail_fit known; /* from a file */
	bool held;	       /* the limits came from a file, and stay until the level changes or a new baseline is learnt */
	struct level level;
	double median, sigma; /* of the logarithms; sigma robust */
	double upper;	      /* of few values: all but POT_OUTLIERS of them are not above this */
	uint64_t since_signal; /* values since the last one */
	uint64_t since_learnt; /* since the last signalled one that was learnt */
	int64_t incident;      /* when the incident of the last signal began */
	struct pot_strange strange;
	struct former *former;
	int64_t begun, now;    /* the level, the newest value */
	uint64_t due;	       /* as many values learnt as the limits are to be made anew from */
	double own;	       /* limit, of this level alone */
	double limit;	       /* as used now */
	double probability;    /* of a value beyond it */
};

struct pot *pot_new(void);
void pot_free(struct pot *pot);

/*
 * Begins anew with a baseline, on the logarithmic scale, the limits that method_limits() gave for it, and the probability of
 * a false alarm. pot_resume() begins with limits from a file instead, and no values.
 */
void pot_begin(struct pot *pot, const struct points *baseline, const struct limits *limits, double probability);
void pot_resume(struct pot *pot, const struct limits *limits);

/* What comes next comes at another time, maybe by another clock: the tail and the level stay, what was timed is forgotten. */
void pot_pause(struct pot *pot);

/* Learns a value. True: with it, a change to higher values is first certain. */
bool pot_learn(struct pot *pot, double value, bool signalled, int64_t ts);

/* The level has changed: its newest values are what is usual from now on. False: there are too few of them. */
bool pot_follow(struct pot *pot);

/* Whether it is time to make the limits anew. */
static inline bool pot_is_due(const struct pot *pot)
{
	return tail_count(pot->tail) >= pot->due && !pot->level.suspect;
}

/* Makes the limits for this probability of a false alarm. */
void pot_limits(struct pot *pot, double probability, struct limits *limits);

#endif
