/*
 * judgement: how values are judged, as a user asked for it: one for all charts and keys of a program.
 *
 *	struct judgement how = JUDGEMENT_OPEN;
 *	how.method = method_find(name); judgement_scale(&how, "log"); and so on, for what the user said
 *	judgement_check(&how);
 */
#ifndef CHART_JUDGEMENT_H
#define CHART_JUDGEMENT_H

#include <math.h>

#include "chart/method.h"

enum { FIXED_MOST = 64 };

struct limits_book;
struct judgement { /* how series judge, the same for all; judgement_check() completes it */
	const struct method *method;
	enum scale scale;
	enum sides sides;
	unsigned rules;
	uint64_t baseline;  /* points */
	uint64_t subgroup;  /* values of a subgroup */
	double sigma;	    /* how many of them the limits are away */
	double weight;	    /* of the newest value in an exponentially weighted mean */
	double probability; /* of a false alarm per value; 0: use alarms */
	double alarms;	    /* false alarms a second */
	int64_t relearn;    /* ns that a change of level lasts before it is learnt; 0: never */
	int64_t recompute;  /* ns after which limits are learnt anew; 0: never */
	double min_ratio;   /* a signal has at least so many times the centre; 0: off */
	uint64_t least;	    /* a signal of a rate counts at least so many */
	int64_t interval;   /* ns that charts of rates count in; -1: what the chart says */
	struct judgement_fixed { /* limits of latencies besides those that are learnt; see judgement_fix() */
		const char *chart; /* NULL: of all that have none of their own */
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

/* Puts the method's own defaults where the user left the choice, and checks the rest: -1 after fail(). */
int judgement_check(struct judgement *how);

struct chart;

/*
 * How a chart that counts is judged, where latencies are judged like this: by the chart's own method. What the user left open is, for
 * such a chart: the upper side, at least twice the centre, changes of level learnt after ten seconds, and limits so far away that
 * chance passes them as rarely as was asked for, though at least three sigma.
 */
struct judgement judgement_of_rates(const struct judgement *how, const struct chart *chart);

/* Each reads what a user wrote: "log"; "upper"; "1,5". -1 after fail(). */
int judgement_scale(struct judgement *how, const char *word);
int judgement_sides(struct judgement *how, const char *word);
int judgement_rules(struct judgement *how, const char *list);

/*
 * Adds a limit that no latency may pass, "200ms" or of one chart "block=200ms"; keeps the text. -1 after fail(). judgement_fixed() is that of a
 * chart, in ns; INT64_MAX: it has none. `is_time`: its values are known to be times; else it must be named.
 */
int judgement_fix(struct judgement *how, const char *text);
bool judgement_is_of(const struct judgement_fixed *fixed, const char *chart); /* by name */
int64_t judgement_fixed(const struct judgement *how, const char *chart, bool is_time);

/* Reads "6/m", "1/h", "2/d", "1/s" or a probability. -1 after fail(). */
int judgement_alarms(struct judgement *how, const char *text);

/* Whether a rate can be charted: -1 after fail() for more failures than calls. */
int judgement_check_rate(const struct judgement *how, double value, double size);

/* The probability of a false alarm per value, where so many values come a second (0: not known). */
double judgement_probability(const struct judgement *how, double rate);

#endif
