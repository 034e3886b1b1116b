/*
 * eras: the time of a host whose clock is set back amid its stream, made to run on.
 *
 * Where the time of a stream's records goes back by more than a millisecond, an era begins: its times are shifted so that it goes on where the
 * one before ended. So shifted times never go back, and stand for one moment each. How much time passed at the step itself is not in them:
 * between two eras a clock has a step of unknown size (clock/hosts.h finds it).
 */
#ifndef SPAN_ERAS_H
#define SPAN_ERAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eras;

struct eras *eras_new(void);
void eras_free(struct eras *eras);

/* Takes the time of the next record in order. True: the clock was set back before it. */
bool eras_take(struct eras *eras, int64_t ts);

/* The newest shifted time so far; INT64_MIN: there is none. */
int64_t eras_newest(const struct eras *eras);

/* A time that a record tells, shifted; `place` is the newest shifted time when the record came. */
int64_t eras_shift(const struct eras *eras, int64_t ts, int64_t place);

/* How many steps back there were; the shifted time of each, by them; how far the last went back; how much times between it and the next are shifted. */
size_t eras_steps(const struct eras *eras);
int64_t eras_step(const struct eras *eras, size_t step);
int64_t eras_back(const struct eras *eras, size_t step);

/* The era in which a shifted time is, from 0; and its shift. */
size_t eras_of(const struct eras *eras, int64_t shifted);
int64_t eras_by(const struct eras *eras, size_t era);

#endif
