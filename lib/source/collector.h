/*
 * collector: kernel events, live, from a private tracing instance into a stream.
 *
 *	collector_open(c, clock, buffer)	a guardian, an instance
 *	wishes_add(&c->wishes, ...)		what to collect
 *	collector_keep(c)			perhaps
 *	collector_add_stacks(c)			perhaps
 *	collector_prepare(c, stream, names)	events on, tracing off; `stream` and `format` records
 *	...					records of the caller's own
 *	collector_run(c, ...)			until it is to end; then the rings are drained
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

#include "source/child.h"
#include "source/clock.h"
#include "source/cost.h"
#include "source/devices.h"
#include "source/guardian.h"
#include "source/meddling.h"
#include "source/merge.h"
#include "source/probe.h"
#include "source/process.h"
#include "source/quotas.h"
#include "source/recorder.h"
#include "source/stages.h"
#include "source/wishes.h"
#include "stream/stream.h"

typedef void collector_say(const char *format, ...); /* for what users are to know at once */

struct collector {
	struct wishes wishes;
	struct child child;	/* pid 0: no command */
	struct process process; /* whose events are wanted; processes chosen by name are taken in when tracing begins */
	bool programs;		/* what processes run is to be told */
	struct cost *cost;	/* a bound on what it costs; NULL: none. It becomes the collector's */
	struct probes *probes;	/* those of functions, looked at while tracing; NULL: none. They become the collector's, too */
	/* private */
	struct tracefs_instance *instance;
	int hold, keeper_hold; /* of the instances */
	struct tracefs_instance *keeper; /* of events that may stay in the kernel; NULL: none do */
	int pipe; /* then: the same as output */
	int output; /* where the stream goes */
	uint64_t buffer;
	struct guardian guardian;
	struct trace_clock clock;
	int64_t wall; /* clock_wall(), as the stream tells it */
	struct merge merge;
	int streamed; /* rings of the first instance */
	struct recorder recorder;
	bool recording; /* the keeper's rings are the recorder's */
	struct scribe scribe;
	struct stacks *stacks; /* NULL: none are wanted */
	struct lookup *lookup; /* of the stacks' functions */
	struct devices devices;
	struct quotas quotas;
	struct stages stages;
	struct pollfd *polled;
	int polled_count;
	int32_t self;
	bool foreign; /* in a PID namespace of its own: /proc has other numbers than events */
	int bell;
	bool looked_at_probes;
	collector_say *say;
	struct meddling *meddling; /* NULL: it cannot be told */
	char *meddled;		   /* the file that somebody else wrote to first; NULL: none */
	int64_t told;		   /* until then all is told, or said to be in doubt */
	bool block;	      /* block events are on */
	bool switches;	      /* so is sched_switch */
	bool timers;	      /* so are events of timers, whose functions are to be told */
	int64_t last_written; /* when something was, by the trace clock */
};

#define COLLECTOR_BUFFER_DEFAULT UINT64_MAX /* 64 MiB over all CPUs, but 4 MiB each at least */

/* `buffer` is in bytes, per CPU. -1 after fail(); collector_close() must be called all the same. */
int collector_open(struct collector *collector, const char *clock, uint64_t buffer);

/*
 * Those events that may wait shall stay in the kernel until they are asked for (source/recorder.h), if the reader of the
 * pipe that the stream goes to turns out to be a cchart-filter that asks. Does nothing where there are none. -1 after fail().
 */
int collector_keep(struct collector *collector, int pipe);

/*
 * Stacks are wanted too, where threads sleep and where they wake others; see program/stacks.h. -1 after fail(): they cannot be had;
 * all else can.
 */
int collector_add_stacks(struct collector *collector, struct lookup *lookup);

/* `names` are events_new()'s of the stream, and must stay. -1 after fail(). */
int collector_prepare(struct collector *collector, struct stream *stream, struct events *names);

/*
 * Turns tracing on, lets the command go, and collects until `duration` nanoseconds are over (negative: no limit), the
 * command ended, a signal asked for the end, or nobody reads the stream. With `pids`, only the threads of these processes and of
 * the children that they make count, and `traced` records tell who they are (count 0: all); COLLECTOR_COMMAND among them is the
 * command. So do processes chosen by name; `say` tells if there are none yet. -1 after fail().
 */
enum { COLLECTOR_COMMAND = 0 };
int collector_run(struct collector *collector, int64_t duration, const int32_t *pids, int count, collector_say *say);

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

/* Removes the instances, their probes, and lets the guardian go. With `wait`, when nobody will ask for events any more.
 * -1 after fail(): something in tracefs is in use, and stays until the next collector starts. */
int collector_close(struct collector *collector, bool wait);

#endif
