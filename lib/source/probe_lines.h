/*
 * probe_lines: the probe lines of state files, placed in the programs that they name.
 *
 * A line has the name of a process, not a path: the name of its first thread, or the last part of its file's path. Each file that a
 * process of that name executes gets the probes once. Files are told apart by device and inode, in other mount namespaces, too. Programs that run
 * already get probes before tracing begins, later ones when their exec was seen.
 *
 *	lines = probe_lines_new(probes, selection, slow, say)
 *	probe_lines_add(lines, ...), probe_lines_members(lines, ...)
 *	probe_lines_place(lines)			before selection_enable()
 *	probe_lines_began(lines, pids, count, ...)	while tracing
 *	probe_lines_free(lines)				after the selection
 */
#ifndef SOURCE_PROBE_LINES_H
#define SOURCE_PROBE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/probe.h"

struct probe_lines;

enum { PROBE_LINES_MAX = 64 };

/* The arguments must outlive the lines. `slow`: places expensive probes, too (struct probe_line). `say` gets messages for the user at once. */
struct probe_lines *probe_lines_new(struct probes *probes, struct selection *selection, bool slow, probes_say *say);
void probe_lines_free(struct probe_lines *lines); /* NULL is allowed */

/*
 * Adds a line: a function of the programs with these names, which have commas between them. Its events are probe:FUNCTION and, with `returns`,
 * probe:FUNCTION__return. Several lines may have the same function if their arguments are the same. -1 after fail().
 */
int probe_lines_add(struct probe_lines *lines, const char *function, const char *binaries, const char *arguments, bool returns);

/*
 * Adds the places of members in programs with a constant string that begins with `text` (program/members.h). Of the lines of one file, the first
 * that fits counts; `new_file`: another file begins with this one.
 */
void probe_lines_members(struct probe_lines *lines, const char *text, const char *members, bool new_file);

/* Places the probes in all programs that run. One that cannot be probed is left out, with a message. -1 after fail(): none could be. */
int probe_lines_place(struct probe_lines *lines);

/* Tells whether there are lines, so that programs may be probed that begin later. */
bool probe_lines_wanted(const struct probe_lines *lines);

/*
 * These processes began to run a program. Places probes in what is new, turns them on, and writes their formats. A program that cannot be probed,
 * as because it has ended by now, is left out, with a message. -1 after fail(): the output failed.
 */
int probe_lines_began(struct probe_lines *lines, const int32_t *pids, size_t count, struct tracefs_instance *instance, struct stream *stream);

#endif
