/*
 * cost: a bound on what tracing costs (trace-collect --max-cost). Part of collector, see collector.h.
 *
 * The cost has two parts: the CPU time of the collector and of the process that looks functions up; and the time that each event takes in
 * the traced program, by the kernel's count of events and a price measured beforehand (cost.c). If the sum was above the limit over
 * COST_SECONDS, the collector counts each event for a further second, and sheds the costliest:
 *
 *	1. stacks
 *	2. context, the events of one system of the kernel after the other, until what is left is within the limit
 *	3. charts, by a later decision, and so the next COST_SECONDS later at the earliest
 *
 * Context is all that no chart measures. Events of a system explain each other: a switch without the wake-up before it, or an entry without
 * its exit, would tell a wrong story. So the events of a system go together; if a chart measures some of them, they go with that
 * chart. Events about threads' lives stay: names depend on them. The last chart is not shed; instead the collection ends.
 *
 * Each round takes one step and writes a `shed` record. After the last step of a decision, a `lost` record of each CPU with a count of 0
 * says that calls and waits that began before may have ended unseen.
 *
 *	cost_new(limit)
 *	cost_want(cost, ...)	the events of each chart
 *	cost_look()		after each round
 */
#ifndef SOURCE_COST_H
#define SOURCE_COST_H

#include <stdbool.h>
#include <stdint.h>

enum { COST_SECONDS = 10 };

struct collector;
struct cost;

struct cost *cost_new(double limit); /* of all CPUs' time: 0.05 */
void cost_free(struct cost *cost);   /* NULL: none */

/* The chart has this event: it measures it, or keeps it as context. */
void cost_want(struct cost *cost, const char *chart, const char *event, bool measured);

/*
 * All events before `until` are written. Sheds what is to be shed. 1: what costs too much is the last that was left, so that nothing
 * remains but to end; 0: go on; -1 after fail().
 */
int cost_look(struct collector *collector, int64_t until);

/* After the last events, all before `until`: writes what is in doubt. -1 after fail(). */
int cost_tell_doubt(struct collector *collector, int64_t until);

/* What was shed, in words; NULL: nothing was. Good until the next call. */
const char *cost_complaint(struct cost *cost);

#endif
