/*
 * filter_state: the inside of struct filter. Private to filter.c and filter_tell.c; see filter.h.
 */
#ifndef WINDOW_FILTER_STATE_H
#define WINDOW_FILTER_STATE_H

#include "chart/measure.h"
#include "event/event.h"
#include "window/filter.h"

struct filter {
	struct stream *stream;
	struct events *events;
	struct measure *measure;
	struct thread_records *threads;
	struct window *window;
	struct recall *recall; /* a recorder that was opened, until its `recorder` record says since when it keeps context */
	const struct event_type *naming[3]; /* events that name threads */
	struct line line;
	uint64_t signals; /* id of the last signal */
	bool missing;	  /* there was no input */
	bool ended;	  /* a stream was read to its end; else our reader left */
	bool has_gaps;	  /* the current stream was filtered before */
	int64_t now, newest; /* newest: time of the current stream's newest event */
	unsigned pushed;
	struct filter_options options;
};

/*
 * The input has records of an earlier filter, one with this id (0: none yet): the events of its windows pass. Its later records come
 * between ours, so our signals and windows take ids from a range that it does not use.
 */
void filter_comes_behind(struct filter *filter, uint64_t id);

/* The user asks for what has just happened: a signal over the last `before`, by the rule "asked". */
int filter_ask(struct filter *filter);

/* A listener that turns limits, samples and signals of the charts into records and windows of this filter. */
struct measure_listener filter_listener(struct filter *filter);

#endif
