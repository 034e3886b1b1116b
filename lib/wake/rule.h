/*
 * rule: what the user knows of a program (chart/semantics.h), in wake graphs: a run is for what its event says, from that on until the next such event
 * of its thread, also over its waits. Private to lib/wake.
 *
 * An edge leads from such a run to whoever caused it: what the thread did before that has nothing to do with it, as with works of a queue.
 */
#ifndef WAKE_RULE_H
#define WAKE_RULE_H

#include "wake/part.h"

/* The thread of the process that the run is for; INDEX_NONE: no rule says so, or it was not seen. */
int32_t rule_served(struct wake *wake, const struct piece *run);

#endif
