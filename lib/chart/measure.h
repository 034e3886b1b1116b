/*
 * measure: turns events into judged values. It pairs the events of its charts into values, keeps a series for each chart and
 * key, and reports abnormal values to its listener within a second. A start whose end does not come is reported when its age
 * passes the limit.
 *
 *	measure = measure_new(events, &judgement, &listener);
 *	measure_chart(measure, chart);
 *	for each event in time order:	measure_event(), then measure_time() with its time
 *	for each lost record:		measure_lost()
 *	at the end of a stream:		measure_end(); then it is ready for the next
 *
 * Charts that count (chart.h) have a value for each interval and key instead, judged by their own method.
 *
 * For most starts it calls the listener not at all; for others in the order hold, signal, release. A signal of an open start
 * may precede the signal of its end. Functions return 0; -1 if the listener did.
 */
#ifndef CHART_MEASURE_H
#define CHART_MEASURE_H

#include "chart/chart.h"
#include "chart/judge.h"
#include "event/event.h"

struct measure;

struct measure *measure_new(struct events *events, const struct judgement *judgement,
			    const struct measure_listener *listener);
void measure_free(struct measure *measure);

/*
 * Adds and owns a chart; drops its context. 0; -1 after fail(): a reading is unknown, or there are thousands of charts. A second chart
 * of one name is left out, with a complaint at the end if the definitions differ.
 */
int measure_chart(struct measure *measure, struct chart *chart);

/* Notes that the collector traced the events of the chart of this name, if there is one. */
void measure_collected(struct measure *measure, const char *name);

/*
 * This event comes no longer, from some moment on that is near: a chart that measures or counts it is none until measure_end(), and what has
 * begun may end unseen. -1 after fail().
 */
int measure_shed(struct measure *measure, const char *event, int64_t now);

/* Tells whether it needs every event of this type. */
bool measure_needs(const struct measure *measure, const char *event);

int measure_charts(const struct measure *measure); /* the number of charts added */

/*
 * Takes the `stream` record, with the stream's machine and boot. If these are new, all limits learnt are forgotten at the first event.
 * So they are if the record lacks the boot and the clock has gone back.
 */
void measure_stream(struct measure *measure, const struct fields *fields);

/* The collector says that it has written all events of all CPUs so far, by a `tick` or by what its `stream` record tells. */
void measure_vouched(struct measure *measure);

/* Takes a `traced` record: from the first on, until measure_end(), only starts by the threads listed are measured. 0; -1 after fail(). */
int measure_traced(struct measure *measure, const struct fields *fields);

int measure_event(struct measure *measure, const struct event *event);
int measure_time(struct measure *measure, int64_t now);

/* A value by hand, for a chart without definition; `key` may be NULL. Sets sample->series. */
int measure_value(struct measure *measure, const char *name, const char *key, struct sample *sample);

/* A summary of values by hand, which is not charted. */
void measure_summary(struct measure *measure);

/* Relearns all limits; the old ones hold until the new are known. */
void measure_relearn(struct measure *measure);

/* Events were lost at this time: forgets open starts, because their ends may be lost. */
int measure_lost(struct measure *measure, int64_t now);

/* At the end of input: judges open starts, and baselines that are long enough. */
int measure_end(struct measure *measure);

/* The time from which on events may belong to an abnormal interval; INT64_MAX: none does. */
int64_t measure_horizon(const struct measure *measure);

/*
 * The time of the oldest open start that may yet become abnormal; INT64_MAX: there is none.
 */
int64_t measure_undecided(const struct measure *measure);

/* What is needed to spell the fields of a sample. */
const struct reading_world *measure_world(const struct measure *measure);

/* Puts the limits of all series, of the last machine, into a book. */
void measure_save(const struct measure *measure, struct limits_book *book);

/*
 * Says what a user should know at the end, sentence by sentence: charts whose events never came, that nothing was charted
 * or judged, bounds that were reached.
 */
void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...));

#endif
