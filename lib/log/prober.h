/*
 * prober: the process that keeps root's rights for probe-log, and uses them only to start and stop loggings. A logging is a collector
 * (source/collector.h) of the calls of some functions, with all their arguments, and behind it a process without rights that makes call records
 * of the events (log/pairing.h). The process that decides what to log has no rights either, because it reads input that others wrote.
 *
 *	prober = prober_start(&options)		before rights are given up
 *	prober_prepare(prober, "mono")		so that the first logging begins soon
 *	fd = prober_begin(prober, number, &order)
 *	... lines of text from fd until its end: call, tick, shed, lost records ...
 *	prober_keep(prober, number, names, count)	perhaps
 *	prober_stop(prober, number)		what was traced still comes
 *	prober_end(prober)
 *
 * A collector is made ready before it is needed: its instance is there, and the cost of a hit was measured. So a logging begins as soon as its
 * probes are placed.
 *
 * If the process that decides is killed, all loggings end; if the prober is killed as well, those whose readers are gone end. Guardians
 * (source/guardian.h) remove what collectors leave in the kernel.
 */
#ifndef LOG_PROBER_H
#define LOG_PROBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct prober;

typedef void prober_say(const char *format, ...);

struct prober_options {
	double budget;	     /* share of all CPUs that a logging may cost */
	const int32_t *pids; /* of these processes and their children only; none: of all */
	size_t pid_count;
	bool dry;	  /* only says what would be logged */
	prober_say *say; /* to the user, from whatever process */
};

struct prober_function {
	char *binary; /* a path or name; with `tid` the name of a file that its process has mapped; NULL: the program of `tid` */
	char *name;   /* of the function, or, if is_pattern, of those that match */
	int32_t tid;
	bool is_pattern;
};

struct prober_order {
	const char *clock; /* of the stream: "mono" */
	int64_t duration;  /* ns; negative: until it is stopped */
	unsigned metrics;  /* of each call (trigger/to_log.h) */
	ARRAY(struct prober_function) functions;
	uint64_t most; /* of a message to keep some: how many of its functions */
	char *trigger; /* of that, too: whom it is for */
};

/* Copies the texts. */
void prober_order_add(struct prober_order *order, const char *binary, const char *name, int32_t tid, bool is_pattern);
void prober_order_forget(struct prober_order *order); /* the functions */

/* NULL after fail(). */
struct prober *prober_start(const struct prober_options *options);

/* The next logging will be by this clock. */
void prober_prepare(struct prober *prober, const char *clock);

/* The number is the caller's, and new. A descriptor, not blocking, which the caller closes; -1 after fail(). */
int prober_begin(struct prober *prober, unsigned number, const struct prober_order *order);
void prober_stop(struct prober *prober, unsigned number);

/*
 * From now on only the first `most` of these functions are logged, by the names that calls have, without those that alone cost more than the budget;
 * a message names them, and the trigger that they are for.
 */
void prober_keep(struct prober *prober, unsigned number, const char *trigger, uint64_t most, char *const *names, size_t count);

/* Waits for the end of all loggings, so their descriptors must have been read to their ends, or closed. NULL: nothing. */
void prober_end(struct prober *prober);

#endif
