/*
 * scribe: writes the events that rings stand at into a stream, each behind the names of the threads that it names.
 *
 * Events of tailblame's own threads are left out, but for those that concern others; see collector.h.
 */
#ifndef SOURCE_SCRIBE_H
#define SOURCE_SCRIBE_H

#include "source/merge.h"
#include "source/process.h"
#include "program/stacks.h"
#include "source/threads.h"
#include "source/wishes.h"
#include "stream/stream.h"

enum { SCRIBE_OWN = 4 };

struct scribe {
	struct stream *stream;
	const struct wishes *wishes;
	struct events *names;	 /* of the stream, for wishes that have a predicate; NULL: none has */
	struct process *process; /* whose events are wanted; it follows forks */
	struct threads threads;	 /* named so far */
	bool unswitched;	 /* who falls asleep is not seen here, so those are looked at that stay in a call for a file, */
	ARRAY(int32_t) callers;	 /* of these threads */
	int32_t own[SCRIBE_OWN]; /* tailblame's threads; 0: none */
	int (*introduce)(void *context, const struct record *event); /* writes what must precede a wish that says so; 0, or -1 after fail() */
	void *context;
	uint64_t events;	 /* written in the last round */
	uint64_t strangers;	 /* events of unknown kind, left out so far */
	ARRAY(int32_t) mappers;	 /* threads that mapped code, if wishes_add_maps() asked; their reader empties it */
	struct stacks *stacks;	 /* written too; NULL: none */
	ARRAY(bool) described;	 /* which of them were spelled out in this stream, by number */
};

void scribe_free(struct scribe *scribe); /* what it knows of threads and stacks */

/* A `format` record; `swapped` as in struct record. -1 after fail(). */
int scribe_format(struct stream *stream, const struct wish *wish, bool swapped);

/* The event that the ring stands at, if it is wanted, behind a `lost` record if there is a gap before it. -1 after fail(). */
int scribe_event(struct scribe *scribe, const struct ring *ring);

/* All events of these rings before the bound. -1 after fail(). */
int scribe_round(struct scribe *scribe, struct merge *merge, int64_t bound);

/* The formats of the events that tell of stacks: what they have is a `stack` record. -1 after fail(). */
int scribe_stack_formats(struct stream *stream);

/* Stacks before the bound, each behind what it stands for. -1 after fail(). */
int scribe_stacks(struct scribe *scribe, int64_t bound);

/* Whether the thread is one of tailblame's own. */
bool scribe_is_own(const struct scribe *scribe, int32_t tid);

/* So many events of this ring were lost, the last of them before `ts`. -1 after fail(). */
int scribe_lost(struct scribe *scribe, const struct ring *ring, int64_t ts, uint64_t count);

#endif
