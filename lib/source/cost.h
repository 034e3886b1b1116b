/*
 * cost: a bound on what tracing costs (trace-collect --max-cost). The collector looks at it after each round.
 *
 * The cost has two parts: the CPU time of the collector and of the process that looks functions up; and the time that each event takes in
 * the traced program, by the kernel's count of events and a price measured beforehand (cost.c). If the sum was above the limit over
 * COST_SECONDS, the collector counts each event for a further second, and sheds the costliest part:
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
 *	cost_look(cost, ...)	after each round
 *	cost_doubts(cost, ...)	after each look, and in the end
 */
#ifndef SOURCE_COST_H
#define SOURCE_COST_H

#include <stdbool.h>
#include <stdint.h>

enum { COST_SECONDS = 10 };

struct cost;

struct cost *cost_new(double limit); /* of all CPUs' time: 0.05 */
void cost_free(struct cost *cost);   /* NULL: none */

/* Says that the chart measures this event, or keeps it as context. */
void cost_want(struct cost *cost, const char *chart, const char *event, bool measured);

/* The tracing that is bounded. Only the last two differ from look to look. */
struct cost_subject {
	const struct selection *selection;
	struct tracefs_instance *instance, *keeper; /* keeper: of events that stay in the kernel */
	struct stream *stream;
	const struct trace_clock *clock;
	struct stacks *stacks; /* NULL: none */
	uint64_t traced;       /* events so far */
	bool recording;	       /* kept events are read only when a reader asks */
};

/*
 * Call it when all events before `until` are written. COST_SHED: events were turned off. COST_END: the last chart or system costs too much, so
 * the collection must end. COST_FAILED: after fail().
 */
enum cost_verdict { COST_FINE, COST_SHED, COST_END, COST_FAILED };
enum cost_verdict cost_look(struct cost *cost, const struct cost_subject *subject, int64_t until);

/* Tells whether calls and waits since *from are in doubt, now that all events before `until` are written. Tells each doubt once. */
bool cost_doubts(struct cost *cost, int64_t until, int64_t *from);

/* The shed events in words; NULL: nothing was shed. Valid until the next call. */
const char *cost_complaint(struct cost *cost);

#endif
