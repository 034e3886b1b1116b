/*
 * probe_cost: the cost of a logging's probes, and a bound on it. The cost is how often each probe is hit, by the kernel's own count
 * (uprobe_profile), times the price of a hit, which is measured on this machine.
 *
 * A second's worth of the limit may be spent at once. If more than the limit is spent beyond that, the costliest function is turned off. If
 * it is the last one, the logging ends.
 *
 *	prices = probe_prices_new()	once
 *	cost = probe_cost_new(limit, say, prices)
 *	probe_cost_measure(cost, instance)	before its events matter
 *	probe_cost_add(cost, ...)		each function
 *	probe_cost_check(cost, ...)		after each round of the collector
 */
#ifndef LOG_PROBE_COST_H
#define LOG_PROBE_COST_H

#include "log/prober.h"
#include "source/cost.h"

struct probe_cost;
struct probe_prices;

/*
 * Prices shared by the processes that are forked from here on: the first one measures them for all. NULL: there is no memory, and each
 * process measures.
 */
struct probe_prices *probe_prices_new(void);

/* Lives as long as the process. `limit`: a share of all CPUs' time, such as 0.01. */
struct probe_cost *probe_cost_new(double limit, prober_say *say, struct probe_prices *prices);

/*
 * Measures the prices with probes in this process, for some milliseconds, in which the instance traces; copies the shared prices instead if
 * these were measured before. If it cannot be done, prices are those of the machine that tests/bench was written on.
 */
void probe_cost_measure(struct probe_cost *cost, struct tracefs_instance *instance);

/* Adds the price of a stack sample to each call. */
void probe_cost_want_stacks(struct probe_cost *cost);

/* Adds a function, by its name in call records, and its events, each with the number of values that it records. */
void probe_cost_add(struct probe_cost *cost, const char *name, const char *start, unsigned start_values, const char *end, unsigned end_values);

/*
 * The functions to keep, the most blamed first, as in prober_keep(). At the next check, those that alone cost more than the limit are
 * turned off. Of the rest only the first `most` stay traced.
 */
void probe_cost_keep(struct probe_cost *cost, const char *trigger, uint64_t most, char *const *names, size_t count);

/* `look` of struct collection: turns functions off, and says so; if that is for their cost, also writes a `shed` record. */
enum cost_verdict probe_cost_check(void *cost, const struct cost_subject *subject, int64_t until);

#endif
