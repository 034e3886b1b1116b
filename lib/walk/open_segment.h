/*
 * open_segment: the open segment of each thread of the wake core, which has not ended yet, with what happened in it so far.
 *
 *	all = open_segments_new(events, wake)
 *	open_segments_begin(all, whole)				for each whole
 *	open = open_segment_of(all, thread)			the first call for a thread makes its open segment
 *	segment_contents_add(&open->contents, word)		something happened in it
 *	open_segment_end(); open_segment_begin()		the segment ends, and another begins
 *	open_segments_forget(all)				no thread has an open segment any more
 *	open_segments_free(all)
 *
 * The cutter (walk/cutter.h) decides where segments end. Other callers add to the contents of the open segment.
 */
#ifndef WALK_OPEN_SEGMENT_H
#define WALK_OPEN_SEGMENT_H

#include "event/event.h"
#include "wake/core.h"
#include "walk/segment_contents.h"
#include "walk/wait_identity.h"
#include "walk/whole.h"

struct open_segments;

struct open_segment_process {
	int32_t tgid;
	uint32_t name, wakes, woken; /* words: "NAME", "wakes=NAME", "woken=NAME" */
	/* private */
	uint32_t epoch;
	UT_hash_handle hh;
};

struct open_segment {
	uint32_t thread, segment;	 /* numbers in the whole; segment: the open one, NUMBER_NONE: none */
	struct segment_contents contents; /* of the open segment */
	bool over;		 /* the thread has ended */
	unsigned handlers;	 /* how many handlers of signals the thread is in */
	uint32_t task;		 /* word for the task whose turn it is; 0: no known task */
	/* the cutter's */
	bool slept;
	int64_t slept_from;	  /* first sleep since the call, or the segment, began */
	struct made_call call;
	uint32_t called_in;	  /* the segment in which the call was made */
	uint32_t took_from;	  /* the segment that sent what this one received last; NUMBER_NONE: none */
	struct made_call waited;  /* the call of its last wait */
	uint32_t waited_for;	  /* the identity of that wait */
	/* private */
	bool known;
	uint32_t epoch;		  /* how many gaps it has been cut at */
	uint32_t process_epoch;	  /* names_epoch when its process was looked up */
	struct open_segment_process *process;
};

struct open_segments *open_segments_new(struct events *events, struct wake *wake);
void open_segments_free(struct open_segments *all);
void open_segments_begin(struct open_segments *all, struct whole *whole);
void open_segments_forget(struct open_segments *all);
void open_segments_renamed(struct open_segments *all); /* threads or processes may have got other names */

/*
 * The open segment of a thread; after a gap, cuts it there first. open_segments_next(): of the next thread that has not ended, from this index of
 * the wake core on; sets the index; NULL: there is none.
 */
struct open_segment *open_segment_of(struct open_segments *all, struct thread *thread);
struct open_segment *open_segments_next(struct open_segments *all, size_t *index);

/*
 * The event's thread; NULL: not known, or the idle thread. open_segment_find(): sets the thread with this tid, and returns its struct if a
 * segment is open; NULL: none is.
 */
struct thread *open_segments_thread(const struct open_segments *all, const struct event *event);
struct open_segment *open_segment_find(struct open_segments *all, int32_t tid, struct thread **thread);

const struct open_segment_process *open_segment_process(struct open_segments *all, const struct thread *thread, struct open_segment *open);
void open_segment_name(struct open_segments *all, const struct thread *thread, struct open_segment *open); /* names the thread in the whole */

/*
 * Begins a segment; `woken`: a word for what woke the thread, 0: none. open_segment_end(): ends the open one at `end`, with a wait since
 * `wait_from`, which is `end` if there is no wait; returns the segment, valid until the next is added.
 */
void open_segment_begin(struct open_segments *all, struct open_segment *open, int64_t start, uint32_t woken);
struct segment *open_segment_end(struct open_segments *all, const struct thread *thread, struct open_segment *open, int64_t wait_from, int64_t end);

#endif
