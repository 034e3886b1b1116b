/*
 * armed: timers that a thread armed and another cancelled: who cancels one waits for it no more, so that is an edge (Argus, section 2.1.1).
 *
 *	armed = armed_new(cutter)
 *	armed_begin(armed, whole)		for each whole
 *	armed_start(), armed_cancel()		events of timers, by the timer's address
 *	armed_free(armed)
 */
#ifndef WALK_ARMED_H
#define WALK_ARMED_H

#include "walk/cutter.h"

struct armed;

struct armed *armed_new(struct cutter *cutter);
void armed_free(struct armed *armed);
void armed_begin(struct armed *armed, struct whole *whole);

void armed_start(struct armed *armed, const struct event *event, uint64_t timer);
void armed_cancel(struct armed *armed, const struct event *event, uint64_t timer); /* by the thread that armed it: no edge */

#endif
