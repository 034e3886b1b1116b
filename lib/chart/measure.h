/*
 * measure: turns events into judged values. It pairs the events of its charts into values, keeps a series for each chart and
 * key, and reports abnormal values to its listener within a second. A start whose end does not come is reported when its age
 * passes the limit.
 *
 *	measure = measure_new(events, &policy, &listener);
 *	measure_chart(measure, chart);
 *	for each event in time order:	measure_event(), then measure_time() with its time
 *	for each lost record:		measure_lost()
 *	at the end of a stream:		measure_end(); then it is ready for the next
 *
 * Charts that count (chart.h) have a value for each interval and key instead, judged by their own method.
 *
 * For most starts it does not call the listener. When the age of a start passes the limit: hold; then perhaps a signal of the open start,
 * and a signal of its end; then release. A start that ends before this is noticed has its signal only.
 * Functions return 0; -1 if the listener did.
 */
#ifndef CHART_MEASURE_H
#define CHART_MEASURE_H

#include "chart/chart.h"
#include "chart/judge.h"
#include "event/event.h"

struct measure;

struct measure *measure_new(struct events *events, const struct policy *policy,
			    const struct measure_listener *listener);
void measure_free(struct measure *measure);

/*
 * Adds and owns a chart; drops its context events. 0; -1 after fail(): a form is unknown, or there are thousands of charts. A second chart
 * of one name is left out, with a complaint at the end if the definitions differ.
 */
int measure_chart(struct measure *measure, struct chart *chart);

/* Tells whether it needs every event of this type. */
bool measure_needs(const struct measure *measure, const char *event);

int measure_charts(const struct measure *measure); /* the number of charts added */

/*
 * Takes a record that tells about the stream. 0; -1 after fail().
 *
 *	stream	the stream's machine and boot. If they differ from those before, all that was learnt is forgotten at the first event;
 *		also if the record lacks the boot and the clock has gone back.
 *	chart	the collector traced the events of the chart of this name
 *	tick	the collector has written all events of all CPUs so far; `fields` may be NULL
 *	gap	events of a CPU are lost for some time from here: what ends meanwhile is not measured
 *	traced	until measure_end(), only starts by the listed threads are measured
 *	shed	these events come no longer: until measure_end() their charts rest, and open starts may end unseen
 *	stage	a thread of the pipe that recorded the stream: its latencies are not measured
 *	file	the kind of a descriptor in which a thread sleeps
 *	sample	a summary of values by hand, which is not charted; `fields` may be NULL
 */
int measure_record(struct measure *measure, enum kind kind, const struct fields *fields, int64_t now);

int measure_event(struct measure *measure, const struct event *event);
int measure_time(struct measure *measure, int64_t now);

/* No more context fits: in charts with each=yes, the next measure_time() signals intervals that have not ended. */
void measure_hurry(struct measure *measure);

/* Judges a value by hand, of a chart without definition; `key` may be NULL. Sets sample->series. */
int measure_value(struct measure *measure, const char *name, const char *key, struct sample *sample);

/* Relearns all limits; the old ones hold until the new are known. */
void measure_relearn(struct measure *measure);

/* Events were lost at this time: forgets open starts, because their ends may be lost. */
int measure_lost(struct measure *measure, int64_t now);

/* At the end of input: judges open starts, and baselines that are long enough. */
int measure_end(struct measure *measure);

/* The time from which on events may belong to an abnormal interval; INT64_MAX: none may. */
int64_t measure_horizon(const struct measure *measure);

/*
 * The time of the oldest open start that may yet become abnormal; INT64_MAX: there is none.
 */
int64_t measure_undecided(const struct measure *measure);

#endif
