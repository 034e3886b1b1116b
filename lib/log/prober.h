/*
 * prober: the process that keeps root's rights for probe-log, and uses them only to start and stop loggings. A logging is a collector
 * (source/collector.h) of the calls of some functions, with all their arguments, and behind it a process without rights that turns the
 * events into call records (log/pairing.h). The process that decides what to log has no rights either, because it reads input that others
 * wrote.
 *
 *	prober = prober_start(&options)		before rights are given up
 *	prober_prepare(prober, "mono")		so that the first logging begins soon
 *	fd = prober_begin(prober, number, &order)
 *	... lines of text from fd until its end: call, tick, shed, lost records ...
 *	prober_keep(prober, number, trigger, most, names, count)	optional
 *	prober_stop(prober, number)		what was traced still comes
 *	prober_end(prober)
 *
 * A collector is made ready before it is needed: its instance exists, and the cost of a hit has been measured. So a logging begins as soon
 * as its probes are placed.
 *
 * If the process that decides is killed, all loggings end; if the prober is killed as well, loggings whose readers are gone end. Guardians
 * (source/guardian.h) remove what collectors leave behind in the kernel.
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
	const int32_t *pids; /* log only these processes and their children; none: log all */
	size_t pid_count;
	bool dry;	  /* only say what would be logged */
	prober_say *say; /* prints a message to the user, from any of the processes */
};

struct prober_function {
	char *binary; /* a path or name; with `tid`, the name of a file that its process has mapped; NULL: the program of `tid` */
	char *name;   /* name of the function, or, if is_pattern, a pattern for names */
	int32_t tid;
	bool is_pattern;
};

struct prober_order {
	const char *clock; /* clock of the stream: "mono" */
	int64_t duration;  /* ns; negative: until prober_stop() */
	unsigned metrics;  /* what to record of each call (trigger/to_log.h) */
	ARRAY(struct prober_function) functions;
	uint64_t most; /* in a message `keep`: how many of its functions to keep */
	char *trigger; /* in a message `keep`: its trigger */
};

/* Copies the texts. */
void prober_order_add(struct prober_order *order, const char *binary, const char *name, int32_t tid, bool is_pattern);
void prober_order_forget(struct prober_order *order); /* frees the functions and the trigger */

/* NULL after fail(). */
struct prober *prober_start(const struct prober_options *options);

/* Makes a collector ready for a logging by this clock. */
void prober_prepare(struct prober *prober, const char *clock);

/*
 * Starts a logging under a number that the caller chooses and has not used before. Returns a nonblocking descriptor, which the caller
 * closes; -1 after fail().
 */
int prober_begin(struct prober *prober, unsigned number, const struct prober_order *order);
void prober_stop(struct prober *prober, unsigned number);

/*
 * From now on logs only the first `most` of these functions, named as in call records, without those that alone cost more than the budget;
 * a message to the user names them and the trigger.
 */
void prober_keep(struct prober *prober, unsigned number, const char *trigger, uint64_t most, char *const *names, size_t count);

/* Waits for the end of all loggings, so their descriptors must have been read to the end, or closed. NULL: does nothing. */
void prober_end(struct prober *prober);

#endif
