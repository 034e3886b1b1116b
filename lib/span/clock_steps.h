/*
 * clock_steps: the time of a host whose clock is set back amid its stream, made to run on.
 *
 * Where the time of a stream's records goes back by more than a millisecond, an era begins: its times are shifted so that it goes on where the
 * one before ended. So shifted times never go back, and stand for one moment each. How much time passed at the step itself is not in them:
 * between two eras a clock has a step of unknown size (clock/hosts.h finds it).
 */
#ifndef SPAN_CLOCK_STEPS_H
#define SPAN_CLOCK_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_steps;

struct clock_steps *clock_steps_new(void);
void clock_steps_free(struct clock_steps *steps);

/* Takes the time of the next record in order. True: the clock was set back before it. */
bool clock_steps_take(struct clock_steps *steps, int64_t ts);

/* The newest shifted time so far; INT64_MIN: there is none. */
int64_t clock_steps_newest(const struct clock_steps *steps);

/* A time that a record tells, shifted; `place` is the newest shifted time when the record came. */
int64_t clock_steps_shift(const struct clock_steps *steps, int64_t ts, int64_t place);

/* How many steps back there were; the shifted time of each, from 0; how far it went back. */
size_t clock_steps_count(const struct clock_steps *steps);
int64_t clock_steps_time(const struct clock_steps *steps, size_t step);
int64_t clock_steps_back(const struct clock_steps *steps, size_t step);

/* How many steps lie before a shifted time; and by how much times behind that many are shifted. */
size_t clock_steps_before(const struct clock_steps *steps, int64_t shifted);
int64_t clock_steps_total(const struct clock_steps *steps, size_t count);

#endif
