/*
 * cutter: cuts what the wake core knows of threads into segments, and adds the edges between them (Argus, section 2.1.1). The caller passes
 * each event to the wake core first, and then to the cutter.
 *
 *	cutter = cutter_new(wake, open_segments, identities)
 *	cutter_begin(cutter, whole)			for each whole
 *	cutter_switched(), cutter_woke() ...		after each event of these kinds
 *	cutter_end(cutter, lost)			ends all open segments; lost: events were lost in them
 *	cutter_free(cutter)
 *
 * A wait lasts from the first sleep in a system call to the last wake-up before the call returns: wake-ups in vain do not end it. Outside of
 * calls each sleep is a wait. Preemption does not cut.
 */
#ifndef WALK_CUTTER_H
#define WALK_CUTTER_H

#include "event/event.h"
#include "walk/open_segment.h"

struct cutter;

/* The open_segments and the identities must outlive the cutter, and begin each whole before the cutter does. */
struct cutter *cutter_new(struct wake *wake, struct open_segments *open_segments, struct identities *identities);
void cutter_free(struct cutter *cutter);

void cutter_begin(struct cutter *cutter, struct whole *whole);
void cutter_end(struct cutter *cutter, bool lost);

void cutter_switched(struct cutter *cutter, const struct event *event);
void cutter_woke(struct cutter *cutter, int32_t tid); /* the thread that was woken, in vain or not */
void cutter_entered(struct cutter *cutter, const struct event *event, uint64_t first, uint64_t second); /* a system call, with its arguments */
void cutter_returned(struct cutter *cutter, const struct event *event, const int64_t *ret);	       /* NULL: result not known */

/* The segment in which the event happens to its thread; NUMBER_NONE: none. cutter_segment_then() allows an event that comes late. */
uint32_t cutter_segment(struct cutter *cutter, const struct event *event);
uint32_t cutter_segment_then(struct cutter *cutter, const struct event *event);

/*
 * Each ends the thread's segment and begins another. cutter_bounds() ends it at a boundary. cutter_arrives() ends it with a wait of no time in
 * `function` (a word; 0: none), and adds an edge from segment `from` to that wait.
 */
void cutter_bounds(struct cutter *cutter, const struct event *event);
void cutter_arrives(struct cutter *cutter, const struct event *event, uint32_t from, enum edge_kind kind, uint32_t function);

/*
 * The event's thread runs a handler of a signal until the handler returns. That is a segment of its own, and all its edges are weak, because it
 * has nothing to do with what the thread did before (Argus, section 3.2, P1).
 */
void cutter_signalled(struct cutter *cutter, const struct event *event);

#endif
