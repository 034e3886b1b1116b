/*
 * judgement: the user's choices of how to judge values, one for all charts and keys of a program.
 *
 *	struct judgement how = JUDGEMENT_OPEN;
 *	how.method = method_find(name); judgement_scale(&how, "log"); and so on, for each option given
 *	judgement_check(&how);
 */
#ifndef CHART_JUDGEMENT_H
#define CHART_JUDGEMENT_H

#include <math.h>

#include "chart/method.h"

enum { FIXED_MOST = 64 };

struct limits_book;
struct judgement { /* judgement_check() completes it */
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
	int64_t relearn;    /* ns that a change of level lasts before it is learnt; 0: never */
	int64_t recompute;  /* ns after which limits are learnt anew; 0: never */
	double min_ratio;   /* least value of a signal, as a multiple of the centre; 0: off */
	uint64_t least;	    /* least count of a rate's signal */
	int64_t interval;   /* ns that charts of rates count in; -1: the chart's own */
	struct judgement_fixed { /* limits of latencies besides those that are learnt; see judgement_fix() */
		const char *chart; /* NULL: all charts without a limit of their own */
		size_t length;	   /* of its name */
		int64_t limit;	   /* ns */
	} fixed[FIXED_MOST];
	int fixed_count;
	struct judgement_open { /* what the user left to the method, as judgement_check() found it */
		bool scale, sides, min_ratio, relearn, baseline, sigma;
	} open;
	const struct limits_book *known; /* limits that need not be learnt; NULL: none */
};

#define BASELINE_OPEN UINT64_MAX

/* What a user leaves to the method. */
#define JUDGEMENT_OPEN {.scale = -1, .sides = -1, .rules = RULE(1), .subgroup = 5, .baseline = BASELINE_OPEN, .interval = -1, .sigma = -INFINITY, .weight = 0.2, .relearn = -1, .min_ratio = -INFINITY}

/* Fills in the method's defaults where the user made no choice, and checks the rest: 0; -1 after fail(). */
int judgement_check(struct judgement *how);

struct chart;

/*
 * The judgement of a chart that counts, by the chart's own method. Its defaults, where the user made no choice: the upper side; at least
 * twice the centre; changes of level are learnt after ten seconds; limits that chance passes at the asked rate of false alarms, but at
 * least three sigma.
 */
struct judgement judgement_of_rates(const struct judgement *how, const struct chart *chart);

/* Each reads what a user wrote: "log"; "upper"; "1,5". -1 after fail(). */
int judgement_scale(struct judgement *how, const char *word);
int judgement_sides(struct judgement *how, const char *word);
int judgement_rules(struct judgement *how, const char *list);

/*
 * judgement_fix() adds a fixed limit of latencies, "200ms", or of one chart, "block=200ms"; keeps the text. 0; -1 after fail().
 * judgement_fixed() returns a chart's limit in ns; INT64_MAX: none. Unless `is_time`, only a limit that names the chart applies.
 */
int judgement_fix(struct judgement *how, const char *text);
bool judgement_is_of(const struct judgement_fixed *fixed, const char *chart); /* by name */
int64_t judgement_fixed(const struct judgement *how, const char *chart, bool is_time);

/* Reads "6/m", "1/h", "2/d", "1/s" or a probability. -1 after fail(). */
int judgement_alarms(struct judgement *how, const char *text);

/* Checks that a rate can be charted: 0; -1 after fail(): it has more failures than calls. */
int judgement_check_rate(const struct judgement *how, double value, double size);

/* The probability of a false alarm per value, at `rate` values a second (0: unknown). */
double judgement_probability(const struct judgement *how, double rate);

#endif
