/*
 * call_collector: the collector of a logging: writes the entries and ends of some functions, with all their arguments, as a stream. Part of
 * the prober, see prober.h.
 */
#ifndef LOG_CALL_COLLECTOR_H
#define LOG_CALL_COLLECTOR_H

#include "log/prober.h"

/* A message is lines of logfmt: the first says of which kind it is (order, keep), the others name functions. */
enum { PROBER_MESSAGE = 1 << 17 };

/*
 * Makes everything ready, and waits for an order on the socket `orders`. Then collects into `output` until the order's duration is over, a
 * signal asks for the end, or nobody reads. Stops tracing functions that a message `keep` does not name, and those that cost too much.
 * Leaves out functions that cannot be probed, with a message. -1 after a message: none can be probed, or the collector failed.
 */
struct probe_prices;
int call_collector_run(const struct prober_options *options, struct probe_prices *prices, const char *clock, int orders, int output);

#endif
