/*
 * watch: evaluates triggers while a stream passes, and logs requests from a firing until the trigger's UNTIL.
 *
 *	watch = watch_new(stream, triggers, &options)
 *	filter_options.watch = watch_of_filter(watch)	the filter hands over requests and records
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

/* The logging that began where a trigger fired. */
struct watch_firing {
	const char *trigger;
	int64_t ts;
	int32_t tid, pid; /* -1: no thread; pid 0: not known */
};

struct watch_options {
	int64_t rest; /* ns from the end of a trigger's logging to its next firing */
	bool own_charts; /* the user named charts; else those that the collector was asked for count */
	volatile sig_atomic_t *reload; /* set by a signal handler: call `reloaded` before the next record with a time */
	void (*reloaded)(void *context, struct watch *watch);
	void (*fired)(void *context, const struct watch_firing *firing); /* may be NULL */
	void *context;
};

/*
 * The list must outlive the watch, or be replaced: triggers that the new list has, too, keep their state; one that logs and is gone ends as at
 * the end of input. 0; -1 after fail(). The old list is not looked at.
 */
struct watch *watch_new(struct stream *stream, const struct trigger_list *list, const struct watch_options *options);
int watch_replace(struct watch *watch, const struct trigger_list *list);
void watch_free(struct watch *watch);

/*
 * Tells whether these triggers may watch the stream at hand: behind a filter only those on signals may, and in a stream of several hosts none but
 * those of its beginning. 0; -1 after fail().
 */
int watch_check(const struct watch *watch, const struct trigger_list *list);

/* The watch as struct filter_options takes it; and the filter that took it. */
const struct filter_watch *watch_of_filter(struct watch *watch);
void watch_filter(struct watch *watch, struct filter *filter);

/* After the end: says which triggers had nothing to look at. */
void watch_complaints(const struct watch *watch, void (*complain)(const char *format, ...));

#endif
