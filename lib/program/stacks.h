/*
 * stacks: where threads go to sleep, where they wake others, where they run, where they write or read a flag, and
 * from where a function is called, in functions.
 *
 *	stacks = stacks_open(&wanted, lookup)
 *	stacks_see_throws(stacks, ...), stacks_see_calls(stacks, ...)	perhaps
 *	stacks_start(stacks)		before the events that they belong to
 *	stacks_take(stacks, bound)	now and then, before the rings are full
 *	while (stacks_next(stacks, bound, &seen)) ...
 *	while (stacks_next_throw(stacks, bound, &seen)) ...
 *	stacks_free(stacks)
 *
 * Each stack that is unlike all before has a number, and is spelled out once (stacks_describe). What is not asked for is kept until
 * STACKS_KEPT others have come. Two threads may use one of these at a time; each function locks it.
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
	enum stack_moment moment; /* its thread goes to sleep, wakes another, or just runs: of that, samples are taken now and then; or it leaves
				     the CPU, on which something was counted: then there is no stack; or it throws; or it calls a function; or it writes, or
				     reads, a flag, or that is watched no longer: there may be no stack */
	int64_t ts; /* of the first two, and of a call, a little before their event */
	uint32_t cpu;
	uint32_t stack;	 /* 1, 2, 3, ...; 0: there is none */
	int32_t thread;	 /* whose stack it is */
	int32_t woken;	 /* STACK_WAKE: the thread that it wakes */
	int32_t process; /* of `thread` */
	int32_t flag;	 /* its number, */
	uint64_t ip;	 /* and where the program is, behind what hits it; of a call, where its probe is */
};

/*
 * Functions are looked up by `lookup`, which is then its own. NULL after fail(): not permitted, or this
 * kernel or machine cannot.
 */
struct stacks *stacks_open(const struct sampler_wanted *wanted, struct lookup *lookup);

/* Also where something is thrown, at the probes of the event of this number, -1 after fail(). */
int stacks_see_throws(struct stacks *stacks, uint64_t event);

/* Also where functions are called, at the probes of any number of such events, until one is forgotten, by its number from 0 on. */
int stacks_see_calls(struct stacks *stacks, uint64_t event);
void stacks_forget_calls(struct stacks *stacks, int number);

/*
 * As sampler_renew_calls(). What was sampled at calls until now, and was not taken, is dropped. Stacks end at a call that has begun by now, if it has
 * a return probe.
 */
int stacks_renew_calls(struct stacks *stacks);

int stacks_start(struct stacks *stacks); /* -1 after fail() */
int stacks_stop(struct stacks *stacks);  /* no more come, and the rest can be taken; once more does nothing; -1 after fail() */
void stacks_free(struct stacks *stacks);

/* Descriptor number i of those that become readable when samples are about to be lost; -1: there are no more. */
int stacks_descriptor(const struct stacks *stacks, int i);

/* Looks at all samples before this time. */
void stacks_take(struct stacks *stacks, int64_t bound);

/* The oldest one, before the bound, that was not handed out yet. And of STACK_COUNT how much was counted by each counter. */
bool stacks_next(struct stacks *stacks, int64_t bound, struct stack_seen *seen, uint64_t counts[COUNTERS_MAX]);

/* The oldest of a throw likewise. These have a queue of their own, of STACKS_THROWS_KEPT. */
bool stacks_next_throw(struct stacks *stacks, int64_t bound, struct stack_seen *seen);

/* Adds " user=... kernel=..." to a line: frames, innermost first, with ';' between them; see program/unwind.h. */
void stacks_describe(struct stacks *stacks, uint32_t stack, struct line *line);

/* The program's function that is this far from the innermost, which the caller frees; NULL: not known. */
char *stacks_function(struct stacks *stacks, uint32_t stack, int outward);

/* The name of a flag. */
const char *stacks_flag(const struct stacks *stacks, int32_t flag);

/* How many counters there are. */
size_t stacks_counters(const struct stacks *stacks);

/* How many were taken so far. */
uint64_t stacks_taken(struct stacks *stacks);

/* How many were lost because there was no room for samples. */
uint64_t stacks_lost(struct stacks *stacks);

#endif
