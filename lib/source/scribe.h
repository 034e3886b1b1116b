/*
 * scribe: writes the events that rings stand at into a stream, each behind the names of the threads that it names.
 *
 * Events of tailblame's own threads are left out, but for those that concern others; see collector.h.
 *
 *	scribe_format(stream, wish, ...)	each event's format
 *	scribe = scribe_new(&setup)
 *	scribe_own(scribe, tids)		before each round
 *	scribe_round(scribe, merge, bound)
 *	scribe_free(scribe)
 */
#ifndef SOURCE_SCRIBE_H
#define SOURCE_SCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/stacks.h"
#include "program/helpers.h"
#include "source/merge.h"
#include "source/process.h"
#include "source/wishes.h"
#include "stream/stream.h"

enum { SCRIBE_OWN = 3 + HELPERS_MAX };

/* The parts that a scribe works with. All must outlive it; the comments say which may be NULL. */
struct scribe_setup {
	struct stream *stream;
	const struct wishes *wishes;
	struct process *process; /* whose events are wanted; it follows forks */
	struct events *names;	 /* of the stream; NULL: no wish has a predicate */
	struct stacks *stacks;	 /* written too; NULL: none */

	bool foreign;	       /* /proc is of another machine than the events, or has other numbers for its threads */
	const char *cmdlines;  /* the recorded names of threads; NULL: those of this kernel */
	struct asker *asker;   /* NULL: what processes run is not told */
	struct execs *execs;   /* NULL: the kernel does not tell what they are begun with, so that /proc must */
	struct titles *titles; /* NULL: the stream gets no later titles of processes */
	struct exceptions *exceptions; /* NULL: the stream gets none */
	const struct trace_clock *clock; /* NULL: /proc does not tell who has the locks of files */
	bool always_asks;      /* it does not see who runs another program */

	int (*introduce)(void *context, const struct record *event); /* writes what must precede a wish that says so; 0, or -1 after fail() */
	void *context;
};

struct scribe;

struct scribe *scribe_new(const struct scribe_setup *setup);
void scribe_free(struct scribe *scribe); /* NULL is allowed */

/* tailblame's own threads; 0: none. */
void scribe_own(struct scribe *scribe, const int32_t tids[SCRIBE_OWN]);

/* From now on another scribe writes the stacks, and the events that wait in the kernel; `switches`: those are among them. */
void scribe_share(struct scribe *scribe, bool switches);

/* A `format` record; `swapped` as in struct record. -1 after fail(). */
int scribe_format(struct stream *stream, const struct wish *wish, bool swapped);

/* The formats of the events that tell of stacks: what they have is a `stack` record. -1 after fail(). */
int scribe_stack_formats(struct stream *stream);

/* And of those that tell what counters counted. -1 after fail(). */
int scribe_counter_formats(struct stream *stream, const struct counters *counters);

/* And of those that tell of flags. -1 after fail(). */
int scribe_flag_formats(struct stream *stream);

/* The event that the ring stands at, if it is wanted, behind a `lost` record if there is a gap before it. -1 after fail(). */
int scribe_event(struct scribe *scribe, const struct ring *ring);

/* The thread, of this process, was in a call for this descriptor at ts: writes who has the lock that it waits for there. -1 after fail(). */
int scribe_within(struct scribe *scribe, int32_t tid, int32_t pid, int32_t fd, int64_t ts);

/* All events of these rings before the bound, with the stacks before it; INT64_MAX: all that is left. -1 after fail(). */
int scribe_round(struct scribe *scribe, struct merge *merge, int64_t bound);

/* So many events of this ring were lost, the last of them before `ts`. -1 after fail(). */
int scribe_lost(struct scribe *scribe, const struct ring *ring, int64_t ts, uint64_t count);

/* How many events were written in the last round; and how many of unknown kind were left out so far. */
uint64_t scribe_written(const struct scribe *scribe);
uint64_t scribe_strangers(const struct scribe *scribe);

/* The processes that began to run a program since the last call; valid until the next round. */
const int32_t *scribe_began(struct scribe *scribe, size_t *count);

/* The threads that mapped code since the last call, if wishes_add_maps() asked; valid until the next round. */
const int32_t *scribe_mappers(struct scribe *scribe, size_t *count);

#endif
