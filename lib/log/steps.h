/*
 * steps: writes the strides of a stepper, with functions and places in files, as `step` records of a stream.
 *
 *	steps = steps_new(stream, process, lookup)	while the process is there
 *	steps_take(steps, &stride)			each; they are kept
 *	steps_write(steps)				all of them: names are looked up when the process runs on
 *	steps_free(steps)
 */
#ifndef LOG_STEPS_H
#define LOG_STEPS_H

#include "log/stepper.h"
#include "stream/stream.h"

struct lookup;
struct steps;

struct steps *steps_new(struct stream *stream, int32_t process, struct lookup *lookup);
void steps_free(struct steps *steps);

void steps_take(struct steps *steps, const struct stride *stride);
int steps_write(struct steps *steps); /* -1 after fail() */

#endif
