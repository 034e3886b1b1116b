/*
 * event_writer: writes the events of rings into a stream, each behind the names of the threads in it.
 *
 * Events of tailblame's own threads are left out, except those that concern others; see collector.h.
 *
 *	event_writer_format(stream, selected, ...)	each event's format
 *	writer = event_writer_new(&setup)
 *	event_writer_own(writer, tids)		tailblame's own threads, before each round
 *	event_writer_round(writer, merge, bound)
 *	event_writer_free(writer)
 */
#ifndef SOURCE_EVENT_WRITER_H
#define SOURCE_EVENT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/helpers.h"
#include "program/stacks.h"
#include "source/merge.h"
#include "source/process.h"
#include "source/selection.h"
#include "stream/stream.h"

enum { EVENT_WRITER_OWN = 3 + HELPERS_MAX };

/* The parts that an event writer works with. All must outlive it; the comments say which may be NULL. */
struct event_writer_setup {
	struct stream *stream;
	const struct selection *selection;
	struct process *process; /* whose events are wanted; it follows forks */
	struct events *names;	 /* of the stream; NULL: no selected event has a predicate */
	struct stacks *stacks;	 /* written too; NULL: none */

	bool foreign;	       /* /proc is of another machine than the events, or has other numbers for its threads */
	const char *cmdlines;  /* names of threads in a recording; NULL: this kernel is asked */
	struct program_reader *reader;   /* NULL: the stream gets no programs of processes */
	struct execs *execs;   /* NULL: the kernel does not tell programs at exec, so /proc is read */
	struct titles *titles; /* NULL: the stream gets no later titles of processes */
	struct exceptions *exceptions; /* NULL: the stream gets none */
	const struct trace_clock *clock; /* NULL: /proc does not tell who has the locks of files */
	bool always_asks;      /* the events do not show execs */
	bool ticks;            /* while events come, there is a `tick` record every 100 ms */
	bool gaps;             /* a `gap` record comes before the other CPUs' events in a gap */

	int (*introduce)(void *context, const struct record *event); /* writes what must precede an `introduced` event; -1 after fail() */
	void *context;
};

struct event_writer;

struct event_writer *event_writer_new(const struct event_writer_setup *setup);
void event_writer_free(struct event_writer *writer); /* NULL is allowed */

/* Sets tailblame's own threads; 0 stands for none. */
void event_writer_own(struct event_writer *writer, const int32_t tids[EVENT_WRITER_OWN]);

/* From now on the recorder's event writer writes the stacks, and the events that are kept in the kernel; `switches`: sched_switch is one of them. */
void event_writer_share(struct event_writer *writer, bool switches);

/* Writes the event's `format` record; `swapped` as in struct record. -1 after fail(). */
int event_writer_format(struct stream *stream, const struct selected *selected, bool swapped);

/*
 * Writes `format` records for the events made of samples: of stacks, counters and flags, as far as wanted; with `calls`, also for the event
 * with the stack of a call, which precedes the event of the call. -1 after fail().
 */
int event_writer_sample_formats(struct stream *stream, const struct sampler_wanted *wanted, bool calls);

/* Writes the event that the ring stands at, if it is wanted, behind a `lost` record if there is a gap before it. -1 after fail(). */
int event_writer_event(struct event_writer *writer, const struct ring *ring);

/* The thread of process `pid` was in this call for `fd` at ts. If it waits for a file's lock there, writes who has that. -1 after fail(). */
int event_writer_within(struct event_writer *writer, int32_t tid, int32_t pid, long call, int32_t fd, int64_t ts);

/* Writes the name of a thread, unless it is written already. -1 after fail(). */
int event_writer_name(struct event_writer *writer, int32_t tid, int64_t ts);

/* Writes a record of the caller's, behind the name of its thread; tid 0: it has no thread, as a format. -1 after fail(). */
int event_writer_put(struct event_writer *writer, int32_t tid, const struct record *event);

/* Writes all events and stacks of these rings before the bound; INT64_MAX: all that are left. -1 after fail(). */
int event_writer_round(struct event_writer *writer, struct merge *merge, int64_t bound);

/* Writes a `tick` record, unless a gap hides whether all events from before `ts` are written. -1 after fail(). */
int event_writer_tick(struct event_writer *writer, const struct merge *merge, int64_t ts);

/* Writes that `count` events of this ring were lost, the last of them before `ts`. -1 after fail(). */
int event_writer_lost(struct event_writer *writer, const struct ring *ring, int64_t ts, uint64_t count);

/* How many events were written in the last round; and how many of unknown kind were left out so far. */
uint64_t event_writer_written(const struct event_writer *writer);
uint64_t event_writer_strangers(const struct event_writer *writer);

/* The processes that began to run a program since the last call; valid until the next round. */
const int32_t *event_writer_began(struct event_writer *writer, size_t *count);

/* The threads that mapped code since the last call, if selection_add_maps() asked; valid until the next round. */
const int32_t *event_writer_mappers(struct event_writer *writer, size_t *count);

#endif
