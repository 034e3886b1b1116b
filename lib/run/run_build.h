/*
 * run_build: finds the runs of a job in a stream of system calls (raw_syscalls) and writes each, when it is over, as `run` and
 * `features` records.
 *
 *	struct run_builder *builder = run_builder_new(stream, events, &options);
 *	run_builder_record(builder, record)	for each record
 *	run_builder_finish(builder)		at the end of each stream
 *	run_builder_free(builder);
 *
 * Memory grows with threads and with runs that are not over, never with events. A run is written ten seconds of the stream after
 * its end, so that a loss of events that reaches into it is known by then, or at the end of the stream.
 */
#ifndef RUN_RUN_BUILD_H
#define RUN_RUN_BUILD_H

#include "event/event.h"
#include "run/job.h"

/* Of a run, and when it is written: ns of the stream's clock. */
struct run_times {
	int64_t begin, end, now;
};

struct run_options {
	struct job *job;	/* learns its program from the first that is executed, if it has none */
	const char *node;	/* NULL: the stream's host */
	bool same_pairs;	/* of pairs of calls, only those of a call with itself */
	bool childless;		/* the stream has only threads of the program's name */
	bool light;		/* runs are from sched_process_exec to sched_process_exit, and calls do not count */
	bool live;		/* the stream goes on: a `tick` behind each run; runs that are not over at its end are left out */
	/* Writes what else is known of a run, behind its features. 0; -1 after fail(). NULL: nothing. */
	int (*more)(void *context, const char *run, struct stream *stream, bool from_here, const struct run_times *times);
	void *context;
};

struct run_builder;

struct run_builder *run_builder_new(struct stream *stream, struct events *events, const struct run_options *options);
void run_builder_free(struct run_builder *builder);

/* Each returns 0; -1 after fail(). */
int run_builder_record(struct run_builder *builder, const struct record *record);
int run_builder_finish(struct run_builder *builder);

/* The number of runs that were written; and of those with complete=no. */
uint64_t run_builder_count(const struct run_builder *builder);
uint64_t run_builder_incomplete(const struct run_builder *builder);
bool run_builder_unnamed(const struct run_builder *builder);		 /* a stream with calls did not name its machine */
uint64_t run_builder_events(const struct run_builder *builder); /* of raw_syscalls */

#endif
