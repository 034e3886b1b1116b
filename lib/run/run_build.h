/*
 * run_build: finds the runs of a job in a stream of system calls (raw_syscalls). Writes each run, when it is over, as `run` and
 * `features` records.
 *
 *	struct run_builder *builder = run_builder_new(stream, events, &options);
 *	run_builder_record(builder, record)	for each record
 *	run_builder_finish(builder)		at the end of each stream
 *	run_builder_free(builder);
 *
 * Memory grows with threads and with runs that are not over, never with events. A run is written when the stream is ten seconds past
 * its end, so that a loss of events that reaches into the run is known by then; or at the end of the stream.
 */
#ifndef RUN_RUN_BUILD_H
#define RUN_RUN_BUILD_H

#include "event/event.h"
#include "run/job.h"

/* The begin and end of a run, and the time at which it is written: ns of the stream's clock. */
struct run_times {
	int64_t begin, end, now;
};

struct run_options {
	struct job *job;	/* a job without a program learns the first one that is executed */
	const char *node;	/* NULL: the stream's host */
	bool same_pairs;	/* counts a pair of calls only if both are the same call */
	bool childless;		/* the stream has only threads of the program's name */
	bool light;		/* runs last from sched_process_exec to sched_process_exit, and calls do not count */
	bool live;		/* the stream goes on: write a `tick` after each run, and leave out runs that are not over at its end */
	/*
	 * Writes further records of a run, after its features. `from_here`: the stream is of this machine since it was booted. Returns 0;
	 * -1 after fail(). NULL: there are no further records.
	 */
	int (*more)(void *context, const char *run, struct stream *stream, bool from_here, const struct run_times *times);
	void *context;
};

struct run_builder;

struct run_builder *run_builder_new(struct stream *stream, struct events *events, const struct run_options *options);
void run_builder_free(struct run_builder *builder);

/* Both return 0; -1 after fail(). */
int run_builder_record(struct run_builder *builder, const struct record *record);
int run_builder_finish(struct run_builder *builder);

/* The number of runs that were written, and of those with complete=no. */
uint64_t run_builder_count(const struct run_builder *builder);
uint64_t run_builder_incomplete(const struct run_builder *builder);
bool run_builder_unnamed(const struct run_builder *builder);		 /* a stream with calls did not name its machine */
uint64_t run_builder_events(const struct run_builder *builder); /* events of raw_syscalls; all events for light runs */

#endif
