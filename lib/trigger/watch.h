/*
 * watch: evaluates triggers while a stream passes. When a trigger has fired, logs requests until its UNTIL.
 *
 *	watch = watch_new(stream, triggers, &options)
 *	filter_options.watch = watch_of_filter(watch)	the filter gives the watch requests and records
 *	filter = filter_new(...); watch_filter(watch, filter)
 *	... filter_finish(filter) ...
 *	watch_complaints(watch, warn); watch_free(watch)
 *
 * It writes `trigger` and `request` records, see tailblame-stream(5). trigger-filter(1) says what the triggers mean.
 */
#ifndef TRIGGER_WATCH_H
#define TRIGGER_WATCH_H

#include "trigger/trigger.h"
#include "window/filter.h"

struct watch;

/* A firing of a trigger. */
struct watch_firing {
	const char *trigger;
	int64_t ts;
	int32_t tid, pid; /* tid -1: no thread; pid 0: unknown */
};

struct watch_options {
	int64_t rest; /* ns from the end of a trigger's logging to its next firing */
	bool own_charts; /* the user named charts; else the charts that the collector was asked for have the requests */
	volatile sig_atomic_t *reload; /* set by a signal handler: the watch then calls `reloaded` before the next record with a time */
	void (*reloaded)(void *context, struct watch *watch);
	void (*fired)(void *context, const struct watch_firing *firing); /* may be NULL */
	void *context;
};

/*
 * The list must outlive the watch, or be replaced. watch_replace(): triggers that are also in the new list keep their state; a trigger that
 * logs and is not in the new list ends as at the end of input. The old list is not read. 0; -1 after fail().
 */
struct watch *watch_new(struct stream *stream, const struct trigger_list *list, const struct watch_options *options);
int watch_replace(struct watch *watch, const struct trigger_list *list);
void watch_free(struct watch *watch);

/*
 * Checks whether these triggers may watch the current stream. Behind a filter only triggers ON Signal may. In a stream of several hosts the triggers
 * cannot be replaced. 0; -1 after fail().
 */
int watch_check(const struct watch *watch, const struct trigger_list *list);

/* Returns the watch as struct filter_options takes it; then tells the watch its filter. */
const struct filter_watch *watch_of_filter(struct watch *watch);
void watch_filter(struct watch *watch, struct filter *filter);

/* After the end: says which triggers had nothing to look at. */
void watch_complaints(const struct watch *watch, void (*complain)(const char *format, ...));

#endif
