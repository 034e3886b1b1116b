/*
 * making: segments in the making: of each thread of the wake core the segment that goes on, with what happened in it so far.
 *
 *	makings = makings_new(events, wake)
 *	makings_begin(makings, whole)			for each whole
 *	making = making_of(makings, thread)		a thread has one from when it is first asked for
 *	making_close(); making_open()			where a segment ends, and another begins
 *	makings_forget(makings)				no thread has one any more
 *	makings_free(makings)
 *
 * The cutter (walk/cutter.h) says where segments end. Others note in the open one what happens.
 */
#ifndef WALK_MAKING_H
#define WALK_MAKING_H

#include "event/event.h"
#include "wake/core.h"
#include "walk/happened.h"
#include "walk/wait_identity.h"

struct makings;

struct making_process { /* what words call it */
	int32_t tgid;
	uint32_t name, wakes, woken;
	/* private */
	uint32_t epoch;
	UT_hash_handle hh;
};

struct making {
	uint32_t thread, open;	 /* of the whole; its segment that goes on, NUMBER_NONE: none does */
	struct happened happened; /* in that */
	bool over;		 /* the thread has ended */
	unsigned handlers;	 /* of signals, that it is in */
	/* the cutter's */
	bool slept;
	int64_t slept_from;	  /* first sleep since the call, or the segment, began */
	struct made_call call;
	uint32_t called_in;	  /* the segment in which that was made */
	uint32_t took_from;	  /* a segment: what this one received last was sent there; NUMBER_NONE */
	struct made_call waited;  /* the call of its last wait in one, and that wait's identity */
	uint32_t waited_for;
	/* private */
	bool known;
	uint32_t epoch;		  /* gaps that it has been cut at */
	uint32_t process_epoch;	  /* its process was looked up then */
	struct making_process *process;
};

struct makings *makings_new(struct events *events, struct wake *wake);
void makings_free(struct makings *makings);
void makings_begin(struct makings *makings, struct whole *whole);
void makings_forget(struct makings *makings);
void makings_renamed(struct makings *makings); /* threads or processes may have got other names */

/* That of a thread; behind a gap it is cut there. And from the index on, of the wake core, which is set, that of the next thread that goes on; NULL: none. */
struct making *making_of(struct makings *makings, struct thread *thread);
struct making *makings_next(struct makings *makings, size_t *index);

/* The thread on the CPU, or the one that the event names; NULL: none that is known. That of a tid, where it is in a segment; NULL: it is in none. */
struct thread *making_thread(const struct makings *makings, const struct event *event);
struct making *making_find(struct makings *makings, int32_t tid, struct thread **thread);

const struct making_process *making_process(struct makings *makings, const struct thread *thread, struct making *making);
void making_name(struct makings *makings, const struct thread *thread, struct making *making); /* in the whole, as it is called now */

/* Another segment begins; `woken`: a word for what woke the thread, 0: none. Or the open one ends, with a wait since `wait_from`, or as one without. */
void making_open(struct makings *makings, struct making *making, int64_t start, uint32_t woken);
struct segment *making_close(struct makings *makings, const struct thread *thread, struct making *making, int64_t wait_from, int64_t end);

#endif
