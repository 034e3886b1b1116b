/*
 * recorder: events that stay in the kernel until somebody asks for them.
 *
 * Most events that a chart needs are context, and nearly all context is thrown away. A recorder leaves it in rings of its own,
 * where the newest events overwrite the oldest. Nobody reads them until a cchart-filter opens a window and asks for the
 * context of that time (source/recorder_question.h).
 *
 *	recorder_offer(r, ...)		a `recorder` record; the socket listens
 *	recorder_is_called(r)		until then all events are streamed
 *	recorder_begin(r, ...)		the rings are its own from now on
 *	recorder_has_left(r)		nobody will ask any more
 *	recorder_end(r, wait)
 *
 * The socket lives in the abstract namespace, so nothing of it stays behind. Only one process may call, and only one of the same user. A
 * separate thread answers: when a filter asks, the collector may be waiting for that very filter to read on.
 */
#ifndef SOURCE_RECORDER_H
#define SOURCE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>

#include "source/clock.h"
#include "source/event_writer.h"
#include "source/merge.h"

struct recorder {
	int listening; /* -1: no offer, or it was taken */
	/* private */
	int call; /* the connection; -1: none */
	bool begun;
	pthread_t thread;
	atomic_int tid;
	atomic_bool left;
	char failure[256]; /* what ended the thread; "": the caller left */
	const struct trace_clock *clock;
	struct merge merge;
	struct stream *stream;
	struct event_writer *writer;
	struct process everyone;
	int32_t own[EVENT_WRITER_OWN];
	struct stacks *stacks; /* NULL: none */
	struct program_reader *reader;   /* NULL: the stream does not get what processes run */
	bool foreign; /* threads have other numbers than in events */
	int64_t told; /* events before this time were written or dropped */
	int bell;
};

enum { RECORDER_SLACK_NS = 5000000 }; /* by then an event that is being written can be read */

/* Tells whether this is a pipe, whose reader may call. */
bool recorder_suits(int fd);

/*
 * Listens, and writes the offer to the stream that goes into the pipe `fd`. Without a selection it offers a ring (source/disk_ring.h), whose
 * caller only tells of signals. -1 after fail().
 */
int recorder_offer(struct recorder *recorder, const struct selection *selection, struct stream *stream, int fd);

/* Tells whether a permitted process has called; waits up to `wait` milliseconds for it. */
bool recorder_is_called(struct recorder *recorder, int wait);

/* Of a ring: tells whether the caller has told of a signal since the last call of this function. */
bool recorder_is_told(struct recorder *recorder);

/*
 * From now on answers with the events of these rings, which the recorder takes over; all events before `since` were taken from them. `setup` is
 * that of the collector's event writer; the recorder's own writer starts from it, with a stream of its own. `self` is the collector's thread.
 * `bell`, an eventfd, is rung when there is nobody left to answer. -1 after fail().
 */
int recorder_begin(struct recorder *recorder, struct merge *rings, int64_t since, const struct trace_clock *clock,
		   const struct event_writer_setup *setup, int32_t self, int bell);

int32_t recorder_tid(const struct recorder *recorder); /* of the thread that answers; 0: there is none */

/* 1: nobody will ask any more; 0: somebody may; -1 after fail(): the rings cannot be read. */
int recorder_has_left(const struct recorder *recorder);

/* How many events were written to its rings so far. */
uint64_t recorder_traced(const struct recorder *recorder);

/* Ends the recorder; with `wait`, only when the caller has left. */
void recorder_end(struct recorder *recorder, bool wait);

#endif
