/*
 * probe: uprobes at the begin and the return of a function, in this process's group.
 */
#ifndef SOURCE_PROBE_H
#define SOURCE_PROBE_H

#include "source/wishes.h"

/*
 * Makes a uprobe and a uretprobe of a function and wishes for their events, which the stream calls `start` and `end`
 * ("func:prog__request"). Does nothing if they are there already. They are removed with the instance (instance_remove).
 * The function is looked up by `lookup`. -1 after fail().
 */
struct lookup;
int probe_function(struct wishes *wishes, struct lookup *lookup, const char *binary, const char *function, const char *start, const char *end);

#endif
