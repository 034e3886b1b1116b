/*
 * probe: uprobes at the begin and the end of functions, in this process's group.
 *
 * Where an exception or another stack may leave a function (program/ends.h), its end is a probe at each instruction by which it is
 * left, and the events of both have a field `sp`, the stack pointer, by which they are paired; a call that was left otherwise ends at
 * an event func:unwind, whose fields `from` and `to` tell which part of the stack was thrown away. All others end at a return probe.
 */
#ifndef SOURCE_PROBE_H
#define SOURCE_PROBE_H

#include "source/wishes.h"

struct probes;
struct lookup;

/* Programs are asked about by the lookup, which must live as long. */
struct probes *probes_new(struct wishes *wishes, struct lookup *lookup);
void probes_free(struct probes *probes);

enum { PROBES_LEFT_OUT = 1 };

/*
 * Makes the probes of a function and wishes for their events, which the stream calls `start` and `end` ("func:prog__request"). Does
 * nothing if they are there already. They are removed with the instance (instance_remove). -1 after fail(); PROBES_LEFT_OUT after fail():
 * not all of its ends can be told, and a return probe might end the program.
 */
int probes_function(struct probes *probes, const char *binary, const char *function, const char *start, const char *end);

/* After the last function: probes where stacks are thrown away, if that may end calls of one of them. -1 after fail(). */
int probes_finish(struct probes *probes);

/* Says, for each program, how many functions have probes at their returns, and what could not be had. */
void probes_tell(const struct probes *probes, void (*say)(const char *format, ...));

#endif
