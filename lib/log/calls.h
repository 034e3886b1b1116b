/*
 * calls: the collector of a logging: the entries and ends of some functions, with all that they can tell, as a stream. Part of the prober,
 * see prober.h.
 */
#ifndef LOG_CALLS_H
#define LOG_CALLS_H

#include "log/prober.h"

/*
 * Collects into the descriptor until the order's time is over, a signal asks for the end, or nobody reads. Functions that cannot be probed are
 * left out, and said. -1: none can, or the collector failed, which was said.
 */
int calls_collect(const struct prober_order *order, const struct prober_options *options, int output);

#endif
