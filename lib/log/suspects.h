/*
 * suspects: the functions that a window's graphs and rankings blame, under the names that the stream's charts give them.
 *
 *	suspects = suspects_new()
 *	suspects_chart(), suspects_graph(), suspects_node(), suspects_blame()	each such record
 *	suspects_name(suspects, signal, tid, most, &order)	at the window
 *	suspects_forget(suspects)				behind it
 *	suspects_free(suspects)
 */
#ifndef LOG_SUSPECTS_H
#define LOG_SUSPECTS_H

#include "log/prober.h"
#include "stream/fields.h"

struct suspects;

struct suspects *suspects_new(void);
void suspects_free(struct suspects *suspects);

void suspects_chart(struct suspects *suspects, const struct fields *fields);
void suspects_graph(struct suspects *suspects, const struct fields *fields);
void suspects_blame(struct suspects *suspects, const struct fields *fields);

/* To be called only if all methods are wanted, not just the blamed ones. */
void suspects_node(struct suspects *suspects, const struct fields *fields);

/* Tells whether a graph of calls with a ranking came for this signal (0: for any). */
bool suspects_has_calls(const struct suspects *suspects, uint64_t signal);

/*
 * Adds to the order the most blamed functions by the graphs of this signal (0: of any): those of the graph of calls or, if there is none,
 * the functions that the blamed names of the wake graph mention. A function without a chart, as on the way of an exception, is looked for
 * in the files that the process of thread `tid` has mapped (0: nowhere).
 */
void suspects_name(const struct suspects *suspects, uint64_t signal, int32_t tid, uint64_t most, struct prober_order *order);

/* Forgets the graphs and rankings of the window; the functions stay. */
void suspects_forget(struct suspects *suspects);

#endif
