/*
 * stacks: the functions in which threads go to sleep, wake others, run, or write or read a flag, and from which a function is called.
 *
 *	stacks = stacks_open(&wanted, lookup)
 *	stacks_see_throws(stacks, ...), stacks_see_calls(stacks, ...)	perhaps
 *	stacks_start(stacks)		before the events that they belong to
 *	stacks_take(stacks, bound)	now and then, before the rings are full
 *	while (stacks_next(stacks, bound, &seen)) ...
 *	while (stacks_next_throw(stacks, bound, &seen)) ...
 *	stacks_free(stacks)
 *
 * Each distinct stack has a number, and is written out once (stacks_describe). Samples that nobody takes are kept until STACKS_KEPT others
 * have come. Two threads may use the same `struct stacks` at a time; each function locks it.
 */
#ifndef PROGRAM_STACKS_H
#define PROGRAM_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "program/sampler.h"
#include "stream/line.h"

struct lookup;
struct stacks;

enum { STACKS_KEPT = 1 << 19, STACKS_THROWS_KEPT = 1 << 14 };

enum stack_moment { STACK_SLEEP, STACK_WAKE, STACK_RUN, STACK_CALL, STACK_COUNT, STACK_THROW, STACK_FLAG_WRITE, STACK_FLAG_READ, STACK_FLAG_OFF };

struct stack_seen {
	enum stack_moment moment; /* SLEEP, WAKE: the thread goes to sleep, or wakes another. RUN: a periodic sample while it runs. COUNT: it
				     leaves the CPU on which something was counted; there is no stack. THROW: it throws. CALL: it calls a function.
				     FLAG_WRITE, FLAG_READ: it accesses a flag; FLAG_OFF: the flag is no longer watched; there may be no stack */
	int64_t ts; /* for SLEEP, WAKE and CALL a little before the trace event */
	uint32_t cpu;
	uint32_t stack;	 /* number of the stack from 1 on; 0: there is none */
	int32_t thread;	 /* the thread that the stack belongs to */
	int32_t woken;	 /* STACK_WAKE: the thread that is woken */
	int32_t process; /* process of `thread` */
	int32_t flag;	 /* number of the flag */
	uint64_t ip;	 /* address of the instruction behind the one that hit the flag; for a call, address of its probe */
};

/*
 * Functions are looked up by `lookup`, which nobody else may use from then on. NULL after fail(): not permitted, or this kernel or machine
 * cannot do it.
 */
struct stacks *stacks_open(const struct sampler_wanted *wanted, struct lookup *lookup);

/* Also samples where something is thrown, at the probes of the event of this number. -1 after fail(). */
int stacks_see_throws(struct stacks *stacks, uint64_t event);

/*
 * Also samples where functions are called, at the probes of any number of such events. stacks_forget_calls() ends that for an event;
 * `number` counts the calls of stacks_see_calls() from 0 on.
 */
int stacks_see_calls(struct stacks *stacks, uint64_t event);
void stacks_forget_calls(struct stacks *stacks, int number);

/*
 * As sampler_renew_calls(). Drops samples of calls up to now that were not taken. Stacks end at a call that has begun by now, if it has a
 * return probe.
 */
int stacks_renew_calls(struct stacks *stacks);

int stacks_start(struct stacks *stacks); /* -1 after fail() */
int stacks_stop(struct stacks *stacks);  /* ends sampling; the rest can then be taken; a second call does nothing; -1 after fail() */
void stacks_free(struct stacks *stacks);

/* Descriptor i, which becomes readable when samples are about to be lost; -1: there are no more. */
int stacks_descriptor(const struct stacks *stacks, int i);

/* Reads all samples before this time from the ring buffers. */
void stacks_take(struct stacks *stacks, int64_t bound);

/* The oldest sample before `bound` that was not returned yet; for STACK_COUNT also what each counter counted. False: there is none. */
bool stacks_next(struct stacks *stacks, int64_t bound, struct stack_seen *seen, uint64_t counts[COUNTERS_MAX]);

/* The oldest sample of a throw likewise. Throws have a queue of their own, of STACKS_THROWS_KEPT. */
bool stacks_next_throw(struct stacks *stacks, int64_t bound, struct stack_seen *seen);

/* Adds " user=... kernel=..." to a line: frames, innermost first, with ';' between them; see program/unwind.h. */
void stacks_describe(struct stacks *stacks, uint32_t stack, struct line *line);

/* The name of the program's function `outward` frames from the innermost. The caller frees it; NULL: not known. */
char *stacks_function(struct stacks *stacks, uint32_t stack, int outward);

/* The name of a flag. */
const char *stacks_flag(const struct stacks *stacks, int32_t flag);

/* The number of counters. */
size_t stacks_counters(const struct stacks *stacks);

/* The number of samples taken so far. */
uint64_t stacks_taken(struct stacks *stacks);

/* The number of samples lost because there was no room. */
uint64_t stacks_lost(struct stacks *stacks);

#endif
