/*
 * gate: makes a program wait until its return probes are off, when it opens a file that exceptions need.
 *
 * A program of C has return probes although it may load a library that throws (program/program_ends.h). To throw, such a library needs the
 * unwinder, which is nearly always a library of its own (libgcc_s.so.1), and a runtime of C++ (libstdc++.so.6): the first of these that the
 * program has not loaded yet is watched (program_ends_needs). The kernel asks a process, "tailblame-gate", before anybody opens one of these
 * files (fanotify, FAN_OPEN_PERM). If the opener runs a program that was added here, the process first turns the program's probes off; to other
 * openers it answers at once. It ends with the collector, and the kernel then lets all openers go on. It has a session of its own and is in the
 * root control group, if permitted, so that a stop or freeze of the collector does not stop it. If it is stopped itself, openers wait until the
 * collector's next round, which turns all these probes off and ends the process (gate_keep()). Only a user who may stop any of the openers can
 * stop both for longer.
 *
 *	gate_new(), gate_watch() ..., gate_add(), gate_add_event() ..., gate_start(); gate_keep(), gate_closed() while tracing; gate_end()
 */
#ifndef SOURCE_GATE_H
#define SOURCE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cached_stat.h"

struct gate;

/* NULL: the kernel has no fanotify, or not for us; then no opener waits. */
struct gate *gate_new(void);

/* From now on a process that opens this file waits. A missing file is no error. */
void gate_watch(struct gate *gate, const char *file);

/* Adds a program whose probes are to be off before it opens such a file. Returns its number, from 0 on. */
size_t gate_add(struct gate *gate, const struct cached_stat *program);

/* Adds a file in tracefs that turns some of the program's probes off if "0" is written to it. The path is copied. */
void gate_add_event(struct gate *gate, size_t program, const char *enable);

/* Starts the process, after all programs were added. -1 after fail(). */
int gate_start(struct gate *gate);

/* Looks after the process, in each round. False, once: it was stopped or killed; the probes of all programs are off now, and no opener waits. */
bool gate_keep(struct gate *gate);

/* Tells whether the probes of this program were turned off, or are about to be. */
bool gate_closed(const struct gate *gate, size_t program);

/* Tells whether the process has written to files in tracefs since the last call, or may be writing now. */
bool gate_writes(struct gate *gate);

/* NULL: nothing. */
void gate_end(struct gate *gate);

#endif
