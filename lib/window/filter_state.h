/*
 * filter_state: the filter from within. Private to filter.c and filter_tell.c; see filter.h.
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
	struct recall *recall; /* a recorder that answers once the stream lacks what it keeps */
	const struct event_type *naming[3]; /* events that give threads their names */
	struct line line;
	uint64_t signals; /* id of the last one */
	bool missing;	  /* there was no input */
	bool ended;	  /* a stream was read to its end; else nobody reads what comes of it */
	bool has_gaps;	  /* the stream at hand was filtered before */
	int64_t now, newest; /* newest: time of the newest event of the stream at hand */
	unsigned pushed;
	struct filter_options options;
};

/*
 * The input has such records as an earlier filter wrote, one with this id, or 0: the events of its windows pass. What it has yet to tell
 * comes among our own, so the ids of our signals and windows are in a range that it does not use.
 */
void filter_comes_behind(struct filter *filter, uint64_t id);

/* What the charts tell becomes records and windows of this filter. */
struct measure_listener filter_listener(struct filter *filter);

#endif
