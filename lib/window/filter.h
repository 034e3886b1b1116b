/*
 * filter: passes the abnormal moments of a stream with what came before them: charts measure (chart/measure.h), a window
 * keeps and passes (window/window.h), a recorder is asked for what stayed in the kernel (window/recall.h).
 *
 *	filter = filter_new(stream, &options)
 *	filter_chart(filter, chart)		for each chart that was asked for
 *	status = filter_finish(filter)		the whole stream; closes it
 *	filter_complaints(filter, warn); filter_save(filter, book, draft); filter_free(filter)
 */
#ifndef WINDOW_FILTER_H
#define WINDOW_FILTER_H

#include <signal.h>

#include "chart/chart.h"
#include "chart/judgement.h"
#include "chart/limits.h"
#include "stream/stream.h"
#include "window/window.h"

struct filter_options {
	const struct judgement *judgement; /* must stay */
	struct window_size size;
	volatile sig_atomic_t *relearn;	   /* set by a signal handler: learn all limits anew */
	bool own_charts;		   /* charts that the stream names do not count; filter_chart() sets it */
};

struct filter;

struct filter *filter_new(struct stream *stream, const struct filter_options *options);
void filter_free(struct filter *filter);

/* Measures by this chart, which becomes the filter's. -1 after fail(). */
int filter_chart(struct filter *filter, struct chart *chart);

/* Filters the stream and closes it. Returns the exit status; see stream_finish(). */
int filter_finish(struct filter *filter);

/*
 * What there is to complain of after that: charts without values, bounds that were reached, context that is lacking. Nothing where no
 * input came, which was filter_finish()'s message, nor where our reader left before its end.
 */
void filter_complaints(struct filter *filter, void (*complain)(const char *format, ...));

/* Writes the limits of all charts, and those of the book, and keeps the draft. -1 after fail(). */
int filter_save(struct filter *filter, struct limits_book *book, struct file_draft *draft);

#endif
