/*
 * clock_steps: shifts the times of a host whose clock is set back within its stream, so that they never go back.
 *
 * If the time of a stream's records goes back by more than a millisecond, a new era begins. Its times are shifted so that it continues where the
 * era before ended. So each shifted time stands for one moment. How much time passed at the step itself is unknown: between two eras the clock
 * has a step of unknown size (clock/hosts.h finds it).
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

/* Shifts a time in a record; `place` is the newest shifted time when the record came. */
int64_t clock_steps_shift(const struct clock_steps *steps, int64_t ts, int64_t place);

/* The number of steps back; the shifted time of a step, counted from 0; how far the clock went back there, ns. */
size_t clock_steps_count(const struct clock_steps *steps);
int64_t clock_steps_time(const struct clock_steps *steps, size_t step);
int64_t clock_steps_back(const struct clock_steps *steps, size_t step);

/* The number of steps before a shifted time; by how much times behind `count` steps are shifted, ns. */
size_t clock_steps_before(const struct clock_steps *steps, int64_t shifted);
int64_t clock_steps_total(const struct clock_steps *steps, size_t count);

#endif
