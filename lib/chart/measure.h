/*
 * measure: events in, judged values out. It pairs the events of its charts into values, keeps a series for each chart and
 * key, and tells its listener what is abnormal, at the latest one second after it became so: a start whose end does
 * not come is noticed when its age passes the limit.
 *
 *	measure = measure_new(events, &judgement, &listener);
 *	measure_chart(measure, chart);
 *	for each event in time order:	measure_event(), then measure_time() with its time
 *	for each lost record:		measure_lost()
 *	at the end of a stream:		measure_end(); then it is ready for the next
 *
 * Charts that count (chart.h) have a value for each interval and key instead, judged by their own method.
 *
 * What it tells of one start, in order: nothing, for most; or hold, signal, release. A signal of an open start may
 * come before that of its end. Functions return 0, or -1 when the listener did.
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
 * Adds a chart, which it then owns; its context is forgotten. -1 after fail(): a reading that is not known, or there are
 * thousands of charts. Another of the same name is left out, and complained of at the end if its definition is another one.
 */
int measure_chart(struct measure *measure, struct chart *chart);

/* The events of the chart of this name were collected. No such chart: nothing. */
void measure_collected(struct measure *measure, const char *name);

/*
 * This event comes no longer, from some moment on that is near: a chart that measures or counts it is none until measure_end(), and what has
 * begun may end unseen. -1 after fail().
 */
int measure_shed(struct measure *measure, const char *event, int64_t now);

/* Whether it must see every event of this type. */
bool measure_needs(const struct measure *measure, const char *event);

int measure_charts(const struct measure *measure); /* how many were added */

/*
 * The `stream` record: of which machine and boot the stream is, and whose system calls to name. What was learnt on another one is
 * forgotten when the first time comes; so it is where the record does not tell the boot and the clock has gone back.
 */
void measure_stream(struct measure *measure, const struct fields *fields);

/* The collector says that it has written all events of all CPUs so far, by a `tick` or by what its `stream` record tells. */
void measure_vouched(struct measure *measure);

/* A `traced` record: from the first one on, until measure_end(), only what threads that are told of begin is measured. -1 after fail(). */
int measure_traced(struct measure *measure, const struct fields *fields);

int measure_event(struct measure *measure, const struct event *event);
int measure_time(struct measure *measure, int64_t now);

/* A value by hand, for a chart without definition; `key` may be NULL. Sets sample->series. */
int measure_value(struct measure *measure, const char *name, const char *key, struct sample *sample);

/* A summary of values by hand, which is not charted. */
void measure_summary(struct measure *measure);

/* All limits are to be learnt anew; they hold until the new ones are known. */
void measure_relearn(struct measure *measure);

/* Events were lost at this time: what was open then may have ended unseen, so it is forgotten. */
int measure_lost(struct measure *measure, int64_t now);

/* All is read: judges what is still open, and what is still learnt if there is enough of it. */
int measure_end(struct measure *measure);

/* Events from this time on may still belong to something abnormal; INT64_MAX: none does. */
int64_t measure_horizon(const struct measure *measure);

/*
 * The oldest open start of which it is not yet known whether it will be abnormal, among those that are judged; INT64_MAX:
 * there is none.
 */
int64_t measure_undecided(const struct measure *measure);

/* What is needed to spell the fields of a sample. */
const struct reading_world *measure_world(const struct measure *measure);

/* Puts the limits of all series into a book: those of the last machine. */
void measure_save(const struct measure *measure, struct limits_book *book);

/*
 * Says what a user should know at the end, sentence by sentence: charts whose events never came, that nothing was charted
 * or judged, bounds that were reached.
 */
void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...));

#endif
