/*
 * cutter: cuts what the wake core knows of threads into segments, and adds the edges between them (Argus, section 2.1.1). Each event goes to the
 * wake core first, and then here.
 *
 *	cutter = cutter_new(wake, open_segments, identities)
 *	cutter_begin(cutter, whole)			for each whole
 *	cutter_switched(), cutter_woke() ...		behind each event of these kinds
 *	cutter_end(cutter, lost)			the state of all threads ends, as at a gap
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

/* The open_segments and the identities must outlive it; they begin a whole before it. */
struct cutter *cutter_new(struct wake *wake, struct open_segments *open_segments, struct identities *identities);
void cutter_free(struct cutter *cutter);

void cutter_begin(struct cutter *cutter, struct whole *whole);
void cutter_end(struct cutter *cutter, bool lost);

void cutter_switched(struct cutter *cutter, const struct event *event);
void cutter_woke(struct cutter *cutter, int32_t tid); /* in vain or not */
void cutter_entered(struct cutter *cutter, const struct event *event, uint64_t first, uint64_t second); /* a system call, with its arguments */
void cutter_returned(struct cutter *cutter, const struct event *event, const int64_t *ret);	       /* NULL: nobody knows what */

/*
 * The segment in which that happens to the thread on the CPU; NUMBER_NONE: it is in none. A boundary: another segment begins. The same, and the
 * segment before is one that has waited, for no time, until this one came from there: in a function, word 0 for none.
 */
uint32_t cutter_segment(struct cutter *cutter, const struct event *event);
uint32_t cutter_segment_then(struct cutter *cutter, const struct event *event); /* likewise, but it may be told later than others */
void cutter_bounds(struct cutter *cutter, const struct event *event);
void cutter_arrives(struct cutter *cutter, const struct event *event, uint32_t from, enum edge_kind kind, uint32_t function);

/*
 * The thread on the CPU runs a handler of a signal, until it returns from that: a segment of its own, whose edges are weak both ways, because it
 * has nothing to do with what the thread was about (Argus, section 3.2, P1).
 */
void cutter_signalled(struct cutter *cutter, const struct event *event);

#endif
