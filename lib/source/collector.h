/*
 * collector: copies kernel events, live, from a private tracing instance into a stream.
 *
 *	c = collector_new()
 *	collector_open(c, clock, buffer)	a guardian, an instance
 *	selection_add(collector_selection(c), ...)	what to collect
 *	collector_keep(c)			perhaps
 *	collector_fork(c, &child, ...)		perhaps
 *	collector_add_stacks(c)			perhaps
 *	collector_prepare(c, stream, names)	events on, tracing off; `stream` and `format` records
 *	...					records of the caller's own
 *	collector_run(c, &collection)		until it is to end; then the rings are drained
 *	collector_close(c)			nothing stays behind
 *
 * Events come in the order of time, each at most 200 ms old while the reader keeps up. With markers (source/markers.h) they wait 50 ms longer, so
 * that `async` records, which come in batches, are there first. If the kernel lost events, a `lost` record precedes the next event of their CPU:
 * count= is how many, and from= the time of the last event before the gap. If the ring does not tell how many, count comes from the kernel's
 * statistics, and is at least 1.
 *
 * The collector's own events are left out, except those that concern others: a CPU that it gave or took, a thread that it woke, an
 * interrupt that hit it, a block request. Without them, readers would be wrong about which thread had the CPU.
 */
#ifndef SOURCE_COLLECTOR_H
#define SOURCE_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/child.h"
#include "source/cost.h"
#include "source/probe.h"
#include "source/probe_lines.h"
#include "source/selection.h"
#include "stream/stream.h"

struct collector;

#define COLLECTOR_BUFFER_DEFAULT UINT64_MAX /* 64 MiB over all CPUs, but 4 MiB each at least */

struct collector *collector_new(void);

/* `buffer` is in bytes, per CPU. -1 after fail(); collector_close() must be called all the same. */
int collector_open(struct collector *collector, const char *clock, uint64_t buffer);

/* The events to collect; the collector owns them. */
struct selection *collector_selection(struct collector *collector);

/* The instance, to measure what tracing costs; NULL before collector_open(). The collector owns it. */
struct tracefs_instance *collector_instance(const struct collector *collector);

struct exceptions;
struct collector_parts {
	struct cost *cost;		/* bounds what tracing costs; NULL: it is unbounded */
	struct probes *probes;		/* of functions; the collector looks after them while it traces; NULL: none */
	struct probe_lines *lines;	/* a program that begins is probed if a line names it; NULL: none */
	struct exceptions *exceptions;	/* writes `exception` records, from events that it has selected; NULL: none */
	struct markers *markers;	/* writes `async` records, and `exception` records of Node; NULL: none */
};

/* The collector owns the parts from now on. */
void collector_own(struct collector *collector, const struct collector_parts *parts);

/*
 * Offers the reader of `pipe` to keep context in the kernel until it asks (source/recorder.h); a cchart-filter accepts. Does nothing if no
 * event may wait, or `pipe` is no pipe. -1 after fail().
 */
int collector_keep(struct collector *collector, int pipe);

/* Forks the COMMAND, which collector_run() starts. The caller owns the child, which must outlive the collector. Fails as child_fork(). */
int collector_fork(struct collector *collector, struct child *child, char *const *argv, bool to_stderr);

/*
 * Adds stacks (program/stacks.h): with `waits`, where threads sleep and where they wake others; `hz` times a second on each CPU, where they run;
 * where exceptions are thrown, if the stream gets those; and where calls begin of functions that are probed for it (probes_sample()). The counters
 * and flags in `wanted` must outlive the collector, which sets the clock itself. -1 after fail(): tracing works without stacks.
 */
struct sampler_wanted;
struct lookup;
int collector_add_stacks(struct collector *collector, const struct sampler_wanted *wanted, struct lookup *lookup);

/*
 * Enables the events, with tracing off, and begins the stream, which goes to the descriptor `output`. `names` is events_new() of the stream
 * and must outlive the collector. -1 after fail().
 */
int collector_prepare(struct collector *collector, struct stream *stream, int output, struct events *names);

/* Among the pids of a collection, COLLECTOR_COMMAND stands for the COMMAND. */
enum { COLLECTOR_COMMAND = 0 };
typedef void collector_say(const char *format, ...);
struct collection {
	int64_t duration;    /* in nanoseconds; negative: no limit */
	const int32_t *pids; /* with pids or names, only these processes and their children are traced */
	size_t pid_count;
	const char *const *names; /* of processes, also of those that begin later; must outlive the run */
	size_t name_count;
	bool programs;	    /* the stream gets the programs of processes */
	collector_say *say; /* gets messages for the user while the collector runs */
	enum cost_verdict (*look)(void *context, const struct cost_subject *subject, int64_t until); /* in place of cost_look(); NULL: none */
	void *context;
};

/*
 * Turns tracing on, starts the command, and collects until the duration is over, the command or the processes of `pids` ended, a signal asked
 * for the end, or nobody reads the stream. `traced` records name chosen processes. If somebody else changes our instances meanwhile, `lost`
 * records with a count of 0 follow, and the data are incomplete. -1 after fail().
 */
int collector_run(struct collector *collector, const struct collection *collection);

struct collector_outcome {
	uint64_t lost_stacks; /* stacks that came too fast */
	uint64_t lost_markers; /* markers of tasks and exceptions that were dropped */
	const char *meddled;  /* the file that somebody else changed, see interference_file(); NULL: nobody did */
	int64_t wall_moved;   /* ns that the wall clock is ahead of the wall-clock time that the stream's trace clock gives now */
};

/* After collector_run(). The text is valid until collector_close(). */
struct collector_outcome collector_outcome(const struct collector *collector);

/*
 * Removes the instances and their probes, ends the guardian, and frees the collector. With `wait`, first waits until no reader can ask for
 * context. -1 after fail(): a file of tracefs is in use; the instance stays until the next collector starts.
 */
int collector_close(struct collector *collector, bool wait);

#endif
