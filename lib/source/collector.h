/*
 * collector: kernel events, live, from a private tracing instance into a stream.
 *
 *	collector_open(c, clock, buffer)	a guardian, an instance
 *	wishes_add(&c->wishes, ...)		what to collect
 *	collector_prepare(c, stream)		events on, tracing off; `stream` and `format` records
 *	...					records of the caller's own
 *	collector_run(c, ...)			until it is to end; then the rings are drained
 *	collector_close(c)			nothing stays behind
 *
 * Events come in the order of time, each within 200 ms of its happening while the reader keeps up. Events that the
 * kernel lost are `lost` records before the first event of their CPU that was not lost: count=, and from= for the last
 * one before the gap. Where the kernel does not tell how many there were, count is what its statistics tell, and at
 * least 1.
 *
 * The collector's own events are left out, but for those that concern others: a CPU that it gave or took, a thread
 * that it woke, an interrupt that hit it, a block request. Without them, who had the CPU would be told wrongly.
 */
#ifndef SOURCE_COLLECTOR_H
#define SOURCE_COLLECTOR_H

#include "source/child.h"
#include "source/clock.h"
#include "source/devices.h"
#include "source/guardian.h"
#include "source/merge.h"
#include "source/process.h"
#include "source/threads.h"
#include "source/wishes.h"
#include "stream/stream.h"

struct collector {
	struct wishes wishes;
	struct child child;	/* pid 0: no command */
	struct process process; /* whose events are wanted */
	/* private */
	struct stream *stream;
	struct tracefs_instance *instance;
	struct guardian guardian;
	struct trace_clock clock;
	struct merge merge;
	struct threads threads;
	struct devices devices;
	struct pollfd *polled;
	int32_t self;
	int bell;
	bool block;	      /* block events are on */
	uint64_t events;      /* written in this round */
	int64_t last_written; /* when something was, by the trace clock */
};

#define COLLECTOR_BUFFER_DEFAULT UINT64_MAX /* 64 MiB over all CPUs, but 4 MiB each at least */

/* `buffer` is in bytes, per CPU. -1 after fail(); collector_close() must be called all the same. */
int collector_open(struct collector *collector, const char *clock, uint64_t buffer);

int collector_prepare(struct collector *collector, struct stream *stream);

/*
 * Turns tracing on, lets the command go, and collects until `duration` nanoseconds are over (negative: no limit), the
 * command ended, a signal asked for the end, or nobody reads the stream. With `pid`, only that process's threads and
 * the children it makes count (0: all). -1 after fail().
 */
int collector_run(struct collector *collector, int64_t duration, int32_t pid);

/* Removes the instance, its probes, and lets the guardian go. */
void collector_close(struct collector *collector);

#endif
