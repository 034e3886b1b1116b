/*
 * collector: kernel events, live, from a private tracing instance into a stream.
 *
 *	c = collector_new()
 *	collector_open(c, clock, buffer)	a guardian, an instance
 *	wishes_add(collector_wishes(c), ...)	what to collect
 *	collector_keep(c)			perhaps
 *	collector_fork(c, &child, ...)		perhaps
 *	collector_add_stacks(c)			perhaps
 *	collector_prepare(c, stream, names)	events on, tracing off; `stream` and `format` records
 *	...					records of the caller's own
 *	collector_run(c, &collection)		until it is to end; then the rings are drained
 *	collector_close(c)			nothing stays behind
 *
 * Events come in the order of time, each within 200 ms of its happening while the reader keeps up. Events that the
 * kernel lost are `lost` records before the first event of their CPU that was not lost: count=, and from= for the last
 * one before the gap. Where the kernel does not tell how many there were, count is what its statistics tell, and at
 * least 1.
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
#include "source/wishes.h"
#include "stream/stream.h"

struct collector;

#define COLLECTOR_BUFFER_DEFAULT UINT64_MAX /* 64 MiB over all CPUs, but 4 MiB each at least */

struct collector *collector_new(void);

/* `buffer` is in bytes, per CPU. -1 after fail(); collector_close() must be called all the same. */
int collector_open(struct collector *collector, const char *clock, uint64_t buffer);

/* What is to be collected; the collector's. */
struct wishes *collector_wishes(struct collector *collector);

/* A bound on what it costs, and the probes of functions, which are looked at while tracing; NULL: none. They become the collector's. */
void collector_own(struct collector *collector, struct cost *cost, struct probes *probes);

/* Probe lines, whose programs may begin while tracing; they become the collector's. */
void collector_own_lines(struct collector *collector, struct probe_lines *lines);

/* Tells exceptions, by wishes that these have made. They become the collector's. */
struct exceptions;
void collector_tell_exceptions(struct collector *collector, struct exceptions *exceptions);

/*
 * Those events that may wait shall stay in the kernel until they are asked for (source/recorder.h), if the reader of the
 * pipe that the stream goes to turns out to be a cchart-filter that asks. Does nothing where there are none, or `pipe` is no pipe. -1 after fail().
 */
int collector_keep(struct collector *collector, int pipe);

/* Forks the COMMAND, which collector_run() lets go; the child is the caller's, and must stay. As child_fork(). */
int collector_fork(struct collector *collector, struct child *child, char *const *argv, bool to_stderr);

/*
 * Stacks are wanted too, where threads sleep and where they wake others, `hz` times a second on each CPU where they run, and what these
 * counters count, which must stay; see program/stacks.h. -1 after fail(): they cannot be had; all else can.
 */
struct counters;
struct lookup;
int collector_add_stacks(struct collector *collector, uint32_t hz, const struct counters *counters, struct lookup *lookup);

/* The stream goes to the descriptor `output`; `names` are events_new()'s of the stream, and must stay. -1 after fail(). */
int collector_prepare(struct collector *collector, struct stream *stream, int output, struct events *names);

/* COLLECTOR_COMMAND among the pids is the command. */
enum { COLLECTOR_COMMAND = 0 };
typedef void collector_say(const char *format, ...);
struct collection {
	int64_t duration;    /* in nanoseconds; negative: no limit */
	const int32_t *pids; /* with these or names, only the threads of these processes and of the children that they make count */
	size_t pid_count;
	const char *const *names; /* of processes, also of those that begin later; they must stay */
	size_t name_count;
	bool programs;	    /* what processes run is to be told */
	collector_say *say; /* for what users are to know at once */
};

/*
 * Turns tracing on, lets the command go, and collects until the duration is over, the command ended, a signal asked for the end, or
 * nobody reads the stream. Where only some processes count, `traced` records tell who they are. -1 after fail().
 */
int collector_run(struct collector *collector, const struct collection *collection);

/* How many stacks were lost, that came too fast. */
uint64_t collector_lost_stacks(const struct collector *collector);

/*
 * The file of our instances that somebody else wrote to, or read events away from, while we traced, "tailblame-1/tracing_on"; NULL: none.
 * From then on `lost` records say that something may be missing, and the data are incomplete.
 */
const char *collector_meddled(const struct collector *collector);

/* Whether that can be told; after fail() if it cannot. */
bool collector_watches(const struct collector *collector);

/* How far the wall clock is by now from where the trace clock has it, by what the stream tells, in nanoseconds. */
int64_t collector_wall_moved(const struct collector *collector);

/*
 * Removes the instances and their probes, lets the guardian go, and frees the collector. With `wait`, when nobody will ask for events any
 * more. -1 after fail(): something in tracefs is in use, and stays until the next collector starts.
 */
int collector_close(struct collector *collector, bool wait);

#endif
