/*
 * measured: what measure.c (charts and events), outcome.c (what becomes of starts), rate.c (what is counted), by_hand.c (values without
 * events) and origin.c (where a stream is from) share. Part of struct measure; see measure.h.
 */
#ifndef CHART_MEASURED_H
#define CHART_MEASURED_H

#include "base/memory.h"
#include "chart/binding.h"
#include "chart/disarm.h"
#include "chart/hidden.h"
#include "chart/measure.h"
#include "chart/pair.h"
#include "chart/patience.h"
#include "chart/recorded.h"
#include "source/traced.h"

struct measured {
	struct chart *chart; /* NULL: its values come by hand */
	char *name;
	int64_t definition;  /* its hash */
	bool others_of_name; /* charts with another definition were left out */
	struct judge judge;
	struct judgement *judgement; /* of a chart that counts: its own; else NULL */
	bool counts, counting;	    /* it is one; since `begin` */
	bool shed;		    /* its events come no longer */
	int64_t begin;		    /* of the interval at hand */
	struct pair_table *pairs;   /* NULL: it counts */
	struct disarmed *disarmed; /* NULL: the chart has no arm lines */
	bool by_thread;
	bool for_cpu; /* a start ends when its thread gets a CPU */
	struct binding *bindings;
	int count;
	struct series_set set;
	struct series *recent; /* the series of the last start, often that of the next */
	uint64_t ends;	       /* that had a start; of others: their values */
	uint64_t refused;      /* starts for which there was no series */
	uint64_t others;       /* starts and counts of threads that are not traced */
};

/* What an event type is to the charts. */
struct route {
	ARRAY(struct binding *) bindings; /* ends and drops first, then arms, then starts: an event may be all three */
};

struct measure {
	struct events *events;
	struct judge judge; /* of latencies */
	struct reading_world world;
	ARRAY(struct measured *) charts; /* those by hand among them */
	int defined;			 /* how many are not */
	struct {
		uint64_t ends, forgotten;
		bool judged;
	} gone;		/* charts by hand that were forgotten */
	bool summaries; /* came by hand */
	ARRAY(struct route) routes; /* by event_type.index */
	struct pairs *pairs;
	struct patience patience;
	const struct event_type *exit, *exec, *switches;
	const struct event_field *before; /* of an exec: what number its thread had until then */
	const struct event_field *prev, *next; /* of a switch */
	struct hidden hidden;
	bool for_cpu; /* a chart is, so `hidden` is of interest */
	bool vouched; /* the collector says that all CPUs were recorded; else `recorded` tells */
	struct recorded recorded;
	struct wake {
		const struct event_type *type;
		const struct event_field *tid, *target;
		bool chosen; /* that is the CPU it gets, not the one that it had */
	} wakes[3];
	struct process traced; /* whose latencies are measured */
	struct origin { /* of the stream; "": not said */
		char host[72], boot[40];
	} origin;
	bool elsewhere; /* what was learnt was learnt on another machine or boot */
	int64_t ended;	/* the stream before, so far; INT64_MIN: there was none */
	int64_t now;	/* INT64_MIN: no time has come in this stream */
	int64_t recompute_at; /* INT64_MIN: from the first event on the period counts */
	struct line scratch;
};

void measured_free(struct measured *chart);

/* With the first time of a stream all is forgotten that was not learnt here. */
void measured_begin(struct measure *measure, int64_t ts);

/* Time goes on. */
static inline void measured_now(struct measure *measure, int64_t ts)
{
	if (measure->now == INT64_MIN)
		measured_begin(measure, ts);
	if (ts > measure->now)
		measure->now = ts;
}

/* A start that was handed out has ended, and is given back. */
int outcome_end(struct measure *measure, struct measured *chart, struct start *start, int64_t now);

/* The same of one whose end may have come before, unseen: no value, but a word at the end. */
int outcome_doubt(struct measure *measure, struct start *start);

/* The same of one that was given up: no value, unless it took too long. */
int outcome_drop(struct measure *measure, struct measured *chart, struct start *start, int64_t now);

/* The ends of these starts, linked by `next`, will not be seen. `certain`: there was none before now, so that what is too
 * old among them was abnormal without doubt. */
int outcome_abandon(struct measure *measure, struct start *list, int64_t now, bool certain);

/* A value, of a start or an interval or by hand; see judge_value(). */
int outcome_value(struct measure *measure, const struct judge *judge, struct series_set *set, const struct sample *sample,
		  bool forced);

/* An event of a chart that counts, and the time, which may complete an interval. */
int rate_count(struct measure *measure, struct binding *binding, const struct event *event, struct series *series);
int rate_time(struct measure *measure, struct measured *chart, int64_t now);

/* The interval at hand is no whole one: events were lost, or the stream ended. */
void rate_forget(struct measured *chart);

#endif
