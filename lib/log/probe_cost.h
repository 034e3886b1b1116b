/*
 * probe_cost: the cost of a logging's probes, and a bound on it: how often each is hit, by the kernel's own count (uprobe_profile), times the
 * price of a hit, which is measured anew on this machine.
 *
 * A second's worth of the limit may be spent at once. If more is spent from then on than the limit allows, the costliest function is turned off. If
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

/* Prices that processes share which are forked from here on: the first measures them for all. NULL: there is no room, and each measures. */
struct probe_prices *probe_prices_new(void);

/* For the life of the process. `limit` is of all CPUs' time: 0.01. */
struct probe_cost *probe_cost_new(double limit, prober_say *say, struct probe_prices *prices);

/*
 * Measures with probes in this process, for some milliseconds, in which the instance traces, unless that was done before. Where it cannot be
 * done, prices are those of the machine that tests/bench was written on.
 */
void probe_cost_measure(struct probe_cost *cost, struct tracefs_instance *instance);

/* Each call of a function tells its stack, too. */
void probe_cost_want_stacks(struct probe_cost *cost);

/* A function, by the name that calls have, and its events, each with the number of values that it tells. */
void probe_cost_add(struct probe_cost *cost, const char *name, const char *start, unsigned start_values, const char *end, unsigned end_values);

/*
 * Functions from the most blamed on, as prober_keep() has them. At the next look those that alone cost more than the limit are turned off. Of the
 * others the first `most` are traced on, and no more.
 */
void probe_cost_keep(struct probe_cost *cost, const char *trigger, uint64_t most, char *const *names, size_t count);

/* For struct collection: turns functions off, and says so, in a `shed` record too if that is for their cost. */
enum cost_verdict probe_cost_check(void *cost, const struct cost_subject *subject, int64_t until);

#endif
