/*
 * filter: passes the abnormal moments of a stream, each with its context. Charts measure (chart/measure.h), a window keeps and
 * passes events (window/window.h), a recorder hands over context that stayed in the kernel (window/recall.h).
 *
 *	filter = filter_new(stream, &options)
 *	filter_chart(filter, chart)		for each chart that the user named
 *	status = filter_finish(filter)		the whole stream; closes it
 *	filter_complaints(filter, warn); filter_save(filter, book, draft); filter_free(filter)
 */
#ifndef WINDOW_FILTER_H
#define WINDOW_FILTER_H

#include <signal.h>

#include "chart/chart.h"
#include "chart/policy.h"
#include "chart/limits.h"
#include "stream/stream.h"
#include "window/window.h"

struct filter;

/*
 * Decides in place of limits what is abnormal: nothing is judged then, and each request of the charts is handed over. Functions return 0; -1
 * after fail().
 */
struct filter_watch {
	void *context;
	const struct filter_watch *(*another)(void *context, struct filter *filter); /* the watch for the filter of another host of the stream */
	int (*chart)(void *context, const struct chart *chart);	     /* before it is measured: 1, or 0: it is left out */
	int (*time)(void *context, int64_t ts);			     /* before each record with a time */
	int (*begins)(void *context, struct sample *request);	     /* see struct measure_listener */
	int (*ends)(void *context, const struct sample *request);
	void (*gone)(void *context, const struct sample *request);
	void (*event)(void *context, const struct event *event);     /* each event, once a `handoff` record has come; after its `begins` and `ends` */
	int (*record)(void *context, enum kind kind, const struct fields *fields); /* a `signal`, `exception` or `handoff` that has passed */
	int (*lost)(void *context);				     /* after a `lost` record */
	int (*behind)(void *context);				     /* an earlier filter has dropped most events; once a stream */
	int (*finish)(void *context);				     /* at the end of a stream, or where its clock goes back */
};

struct filter_options {
	const struct policy *policy; /* must outlive the filter */
	struct window_size size;
	volatile sig_atomic_t *relearn;	   /* set by a signal handler: learn all limits anew */
	volatile sig_atomic_t *asked;	   /* set by a signal handler: open a window over the last size.before */
	bool own_charts;		   /* ignore charts that the stream names; filter_chart() sets it */
	const struct filter_watch *watch; /* must outlive the filter; NULL: limits decide */
	const char *one_host; /* why it takes no stream of several hosts; NULL: it takes them, with a filter for each */
	const char *const *charts; /* names, for the filters of all hosts; see filter_add_charts() */
	int chart_count;
};

struct filter *filter_new(struct stream *stream, const struct filter_options *options);
void filter_free(struct filter *filter);

/* For a watch: the events, which name threads; and whether `stack` records have come. */
const struct events *filter_events(const struct filter *filter);
bool filter_has_stacks(const struct filter *filter);

/* A firing that a watch found. tid: -1 for no thread; key and text, which are for people, may be NULL. */
struct filter_found {
	const char *trigger, *chart, *key, *text;
	const struct sample *request; /* whose fields the record shows; NULL: none */
	int64_t start, end;
	int32_t tid;
};

/*
 * Writes the signal of what the watch found, and opens its window, unless an earlier filter has a window for it. 0; -1 after fail().
 */
int filter_found(struct filter *filter, const struct filter_found *found);

/* The watch logs this request: its events pass in a window of its own. 0; -1 after fail(). */
int filter_logged(struct filter *filter, const struct sample *request);

/*
 * filter_chart() adds a chart, which the filter owns from now on. filter_add_charts() loads and adds those of the options; the filters of other hosts
 * do so by themselves. 0; -1 after fail().
 */
int filter_chart(struct filter *filter, struct chart *chart);
int filter_add_charts(struct filter *filter);

/* Filters the stream and closes it. Returns the exit status; see stream_finish(). */
int filter_finish(struct filter *filter);

/*
 * After filter_finish(): reports charts without values, bounds that were reached, and missing context. Reports nothing if there was no
 * input (filter_finish() said so), or if our reader left before the end.
 */
void filter_complaints(struct filter *filter, void (*complain)(const char *format, ...));

/* Puts the limits of all charts into the book, writes the book and keeps the draft. 0; -1 after fail(). */
int filter_save(struct filter *filter, struct limits_book *book, struct file_draft *draft);

#endif
