/*
 * measure_state: the inside of struct measure, for measure.c (charts and events), outcome.c (the fate of starts), patience.c (starts that grow too
 * old), turn.c (turns), rate.c (counts), polled.c (repeated tries) and complaint.c; see measure.h.
 */
#ifndef CHART_MEASURE_STATE_H
#define CHART_MEASURE_STATE_H

#include "base/memory.h"
#include "chart/binding.h"
#include "chart/disarmed_keys.h"
#include "chart/measure.h"
#include "chart/pair.h"
#include "chart/patience.h"
#include "chart/polled.h"
#include "chart/recorded.h"
#include "chart/silence.h"
#include "source/traced.h"

struct active_chart {
	struct chart *chart; /* NULL: its values come by hand */
	char *name;
	int64_t definition;  /* hash of its text */
	bool others_of_name; /* charts with another definition were left out */
	struct judge judge;
	struct policy *policy; /* its own, of a chart that counts or has each=yes; else NULL */
	bool counts, counting;	    /* it counts events; an interval has begun */
	bool shed;		    /* its events come no longer */
	int64_t begin;		    /* of the current interval */
	struct pair_table *pairs;   /* NULL: it counts, or its values come by hand */
	struct disarmed_keys *disarmed; /* NULL: the chart has no arm lines */
	bool by_thread;
	struct traffic *traffic; /* NULL: its events are no system calls, or waits for work are asked for */
	bool turns; /* it measures turns */
	uint64_t idle; /* starts that only waited for work */
	struct polled *polled; /* tries of its threads that are one wait; NULL: its events are no system calls of one thread each */
	struct silences silences; /* of its turns, or of its waits for answers */
	bool for_cpu; /* a start ends when its thread gets a CPU */
	struct binding *bindings; /* one for each line */
	int count;
	ARRAY(struct binding *) matched; /* of events that lines with a '*' have matched so far */
	struct series_set set;
	struct series *recent; /* the series of the last start, often that of the next */
	uint64_t ends;	       /* ends that had a start; of other charts: values */
	uint64_t refused;      /* starts for which there was no series */
	uint64_t others;       /* starts and counts of threads that are not traced */
};

/* The event lines of all charts for one event type. */
struct route {
	int matched; /* how many charts with a definition it was matched with: their lines that have a '*' */
	ARRAY(struct binding *) bindings; /* ends and drops first, then arms, then starts: an event may be all three */
};

struct measure {
	struct events *events;
	struct judge judge; /* of latencies */
	struct field_world world;
	ARRAY(struct active_chart *) charts; /* also those of values by hand, which have no definition */
	int defined;			 /* how many have a definition */
	struct {
		uint64_t ends, forgotten;
		bool judged;
	} gone;		/* charts by hand that were forgotten */
	bool summaries; /* `sample` records with count= came */
	bool patterns;	/* a chart has lines with a '*' */
	ARRAY(struct route) routes; /* by event_type.index */
	struct pairs *pairs;
	struct patience patience;
	const struct event_type *exit, *exec, *switches;
	const struct event_field *before; /* of an exec: the tid that its thread had before */
	const struct event_field *prev, *next; /* of a switch */
	bool for_cpu; /* a chart measures waits for a CPU, so switches matter */
	bool vouched; /* the collector says that all CPUs were recorded; else `recorded` tells which were */
	struct recorded recorded;
	struct wake_type {
		const struct event_type *type;
		const struct event_field *tid, *target;
		bool chosen; /* `target` is the CPU chosen for the thread, not the one that it had last */
	} wakes[3];
	struct process traced; /* whose latencies are measured */
	ARRAY(int32_t) pipe;   /* threads of the pipe that recorded the stream: their latencies are not measured */
	struct origin { /* of the stream; "": not known */
		char host[72], boot[40];
	} origin;
	bool elsewhere; /* all that was learnt is of another machine or boot */
	int64_t gap_end; /* events of a CPU are lost until then, so a start that ends by then may have ended before, unseen */
	int64_t ended;	/* newest time of the stream before this one; INT64_MIN: there was none */
	int64_t now;	/* INT64_MIN: no time has come in this stream */
	int64_t recompute_at; /* when all limits are learnt anew; INT64_MIN: the period begins with the first event */
	struct line scratch;
};

/* At the first time of a stream: forgets what was learnt on another machine or boot. */
void measure_begin(struct measure *measure, int64_t ts);

/* Advances the time. */
static inline void measure_now(struct measure *measure, int64_t ts)
{
	if (measure->now == INT64_MIN)
		measure_begin(measure, ts);
	if (ts > measure->now)
		measure->now = ts;
}

/* The series of an event; NULL: there are too many. */
struct series *series_of(struct measure *measure, struct binding *binding, const struct event *event);

/* Ends a start, which is still in its table, with the beginning of its silence. */
int outcome_silence(struct measure *measure, struct start *start);

/* Begins a start with this key. 0; -1 if the listener did. Sets *begun; NULL: there is no series for it. */
int start_begin(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key, int64_t length,
		struct start **begun);

/* An event of a chart of turns. */
int turn_event(struct measure *measure, struct binding *binding, const struct event *event);

/* The end of a process, which closes all its connections. */
int turn_exit(struct measure *measure, const struct active_chart *chart, int64_t process, int64_t now);

/*
 * Ends starts, linked by `next`, that were handed out for this event, and gives them back. A start that may have ended before, unseen,
 * has no value and is counted in the `open` record.
 */
int outcome_event(struct measure *measure, const struct binding *binding, const struct event *event, struct start *list);

/* Gives back a start that was handed out and then given up: it has no value, unless it took too long. */
int outcome_drop(struct measure *measure, struct active_chart *chart, struct start *start, int64_t now);

/* Gives back starts, linked by `next`, whose ends will not be seen. `certain`: they had not ended before now, so those that are too
 * old are signalled. */
int outcome_abandon(struct measure *measure, struct start *list, int64_t now, bool certain);

/* A `gap` record: from here until its end nothing that ends is judged. */
void outcome_gap(struct measure *measure, const struct fields *fields);

/* Judges a value: of a start, of an interval or by hand; see judge_value(). */
int outcome_value(struct measure *measure, const struct judge *judge, struct series_set *set, const struct sample *sample,
		  bool forced);

/* Counts an event; advances the time, which may complete an interval. */
int rate_count(struct measure *measure, struct binding *binding, const struct event *event, struct series *series);
int rate_time(struct measure *measure, struct active_chart *chart, int64_t now);

/* Drops the current interval: events were lost, or the stream ended. */
void rate_forget(struct active_chart *chart);

#endif
