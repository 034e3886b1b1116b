/*
 * open_segment: segments that are not over yet: of each thread of the wake core the segment that goes on, with what happened in it so far.
 *
 *	all = open_segments_new(events, wake)
 *	open_segments_begin(all, whole)				for each whole
 *	open = open_segment_of(all, thread)			a thread has one from when it is first asked for
 *	segment_contents_add(&open->contents, word)		something happened in it
 *	open_segment_end(); open_segment_begin()		where a segment ends, and another begins
 *	open_segments_forget(all)				no thread has one any more
 *	open_segments_free(all)
 *
 * The cutter (walk/cutter.h) says where segments end. Others add to the contents of the open one.
 */
#ifndef WALK_OPEN_SEGMENT_H
#define WALK_OPEN_SEGMENT_H

#include "event/event.h"
#include "wake/core.h"
#include "walk/segment_contents.h"
#include "walk/wait_identity.h"
#include "walk/whole.h"

struct open_segments;

struct open_segment_process { /* what words call it */
	int32_t tgid;
	uint32_t name, wakes, woken;
	/* private */
	uint32_t epoch;
	UT_hash_handle hh;
};

struct open_segment {
	uint32_t thread, segment;	 /* of the whole; its segment that goes on, NUMBER_NONE: none does */
	struct segment_contents contents; /* in that */
	bool over;		 /* the thread has ended */
	unsigned handlers;	 /* of signals, that it is in */
	uint32_t task;		 /* word for the task whose turn it is; 0: of none that is known */
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
	struct open_segment_process *process;
};

struct open_segments *open_segments_new(struct events *events, struct wake *wake);
void open_segments_free(struct open_segments *all);
void open_segments_begin(struct open_segments *all, struct whole *whole);
void open_segments_forget(struct open_segments *all);
void open_segments_renamed(struct open_segments *all); /* threads or processes may have got other names */

/* That of a thread; behind a gap it is cut there. That of the next thread, from an index of the wake core on, which is set; NULL: there is none. */
struct open_segment *open_segment_of(struct open_segments *all, struct thread *thread);
struct open_segment *open_segments_next(struct open_segments *all, size_t *index);

/* The thread on the CPU, or the one that the event names; NULL: none that is known. That of a tid, where it is in a segment; NULL: it is in none. */
struct thread *open_segments_thread(const struct open_segments *all, const struct event *event);
struct open_segment *open_segment_find(struct open_segments *all, int32_t tid, struct thread **thread);

const struct open_segment_process *open_segment_process(struct open_segments *all, const struct thread *thread, struct open_segment *open);
void open_segment_name(struct open_segments *all, const struct thread *thread, struct open_segment *open); /* in the whole, as it is called now */

/* Another segment begins; `woken`: a word for what woke the thread, 0: none. The open one ends, with a wait since `wait_from`, or as one without. */
void open_segment_begin(struct open_segments *all, struct open_segment *open, int64_t start, uint32_t woken);
struct segment *open_segment_end(struct open_segments *all, const struct thread *thread, struct open_segment *open, int64_t wait_from, int64_t end);

#endif
