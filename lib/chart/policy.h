/*
 * policy: the user's choices of how to judge values, one policy for all charts and keys of a program.
 *
 *	struct policy how = POLICY_OPEN;
 *	how.method = method_find(name); policy_scale(&how, "log"); and so on, for each option given
 *	policy_check(&how);
 */
#ifndef CHART_POLICY_H
#define CHART_POLICY_H

#include <math.h>

#include "chart/method.h"

enum { FIXED_MOST = 64 };

struct limits_book;
struct policy { /* policy_check() completes it */
	const struct method *method;
	enum scale scale;
	enum sides sides;
	unsigned rules;
	uint64_t baseline;  /* points */
	uint64_t subgroup;  /* values of a subgroup */
	double sigma;	    /* distance of the limits from the centre, in sigmas */
	double weight;	    /* of the newest value in an exponentially weighted mean */
	double probability; /* of a false alarm per value; 0: use alarms */
	double alarms;	    /* false alarms a second */
	int64_t relearn;    /* ns that a change of level lasts before it is learnt; 0: never, unless by values */
	uint64_t relearn_values; /* the same in values; 0: by time */
	int64_t recompute;  /* ns after which limits are learnt anew; 0: never */
	double min_ratio;   /* least value of a signal, as a multiple of the centre; 0: off */
	uint64_t least;	    /* counted events that a signal of a rate needs */
	int64_t interval;   /* ns: the interval of charts of rates; -1: the chart's own */
	struct policy_fixed { /* limits of latencies besides those that are learnt; see policy_fix() */
		const char *chart; /* NULL: all charts without a limit of their own */
		size_t length;	   /* of its name */
		int64_t limit;	   /* ns; 0: each value is beyond it */
	} fixed[FIXED_MOST + 1];
	int fixed_count;
	bool only_fixed;   /* only limits that the user gave make signals */
	bool once;	   /* of a run of abnormal values only the first is a signal */
	bool idle;	   /* sleeps and waits for work are judged, too */
	struct policy_open { /* choices that the user left to the method, set by policy_check() */
		bool scale, sides, min_ratio, relearn, baseline, sigma;
	} open;
	struct limits_book *known; /* limits that need not be learnt; NULL: none */
};

#define BASELINE_OPEN UINT64_MAX

/* No choice is made yet: all is left to the method. */
#define POLICY_OPEN {.scale = -1, .sides = -1, .rules = RULE(1), .subgroup = 5, .baseline = BASELINE_OPEN, .interval = -1, .sigma = -INFINITY, .weight = 0.2, .relearn = -1, .min_ratio = -INFINITY}

/* Fills in the method's defaults where the user made no choice, and checks the rest: 0; -1 after fail(). */
int policy_check(struct policy *how);

struct chart;

/*
 * The policy of a chart that counts, with the chart's own method. Its defaults, where the user made no choice: the upper side; a signal is at
 * least twice the centre; a change of level is learnt after ten seconds; chance passes the limits at the rate of false alarms asked for,
 * but they are at least three sigma from the centre.
 */
struct policy policy_of_rates(const struct policy *how, const struct chart *chart);

/* The policy of a chart with each=yes: each value is a signal, unless a --limit names the chart. Keeps the name. */
struct policy policy_of_each(const struct policy *how, const char *chart);

/* Each reads the user's text: "log"; "upper"; "1,5". -1 after fail(). */
int policy_scale(struct policy *how, const char *word);
int policy_sides(struct policy *how, const char *word);
int policy_rules(struct policy *how, const char *list);
int policy_relearn(struct policy *how, const char *text); /* "10s", "200v" */

/* Tells whether a change of level has lasted long enough to be learnt. */
static inline bool policy_has_lasted(const struct policy *how, int64_t time, uint64_t values)
{
	if (how->relearn_values)
		return values >= how->relearn_values;
	return how->relearn && time >= how->relearn;
}

/*
 * policy_fix() adds a fixed limit of latencies, "200ms", or of one chart, "block=200ms"; keeps the text. 0; -1 after fail().
 * policy_fixed() returns a chart's limit in ns; INT64_MAX: none. Unless `is_time`, only a limit that names the chart applies.
 */
int policy_fix(struct policy *how, const char *text);
bool policy_is_of(const struct policy_fixed *fixed, const char *chart); /* by name */
int64_t policy_fixed(const struct policy *how, const char *chart, bool is_time);

/* Reads "6/m", "1/h", "2/d", "1/s" or a probability. -1 after fail(). */
int policy_alarms(struct policy *how, const char *text);

/* Checks that a rate can be charted: 0; -1 after fail(): it is negative, or a share above 1. */
int policy_check_rate(const struct policy *how, double value, double size);

/* The probability of a false alarm per value, at `rate` values a second (0: unknown). */
double policy_probability(const struct policy *how, double rate);

#endif
