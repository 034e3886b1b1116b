/*
 * chain: a critical path in the order of who waits for whom, and who held the CPU meanwhile.
 */
#ifndef REPORT_CHAIN_H
#define REPORT_CHAIN_H

#include "report/model.h"

/*
 * "victim waits for handler (read tcp socket), which waits for reporter (futex), asleep in nanosleep (timer)": down to where
 * most of the time went. NULL: no thread waits for another there, or there is no such place. The caller frees it.
 */
char *chain_words(const struct story *story, const struct graph *graph);

/* Adds who held the CPU during a piece in which a thread was runnable; and says it of the whole part: ", held by hogger/12". */
void chain_hold(struct part *part, const struct graph *graph, const struct piece *piece);
char *chain_holders(const struct part *part); /* the caller frees it */

#endif
