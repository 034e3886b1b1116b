/*
 * probe_lines: the probe lines of state files, placed in the programs that they name.
 *
 * A line has the name of a process, not a path: the name of its first thread, or the last part of its file's path. Each file that a
 * process of that name executes gets the probes, by device and inode, in other mount namespaces, too. Programs that run already get them before
 * tracing begins, later ones when their exec was seen.
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

/* All must live as long. `slow`: also where a probe is dear (struct probe_line). `say` gets messages for the user at once. */
struct probe_lines *probe_lines_new(struct probes *probes, struct selection *selection, bool slow, probes_say *say);
void probe_lines_free(struct probe_lines *lines); /* NULL is allowed */

/*
 * A function of the programs of these names, with commas between them; its events are probe:FUNCTION and, with `returns`, probe:FUNCTION__return.
 * Of one function there may be several lines, if they have the same arguments. -1 after fail().
 */
int probe_lines_add(struct probe_lines *lines, const char *function, const char *binaries, const char *arguments, bool returns);

/* The places of members in programs that have a constant string which begins with this text (program/members.h); of a file, its first line that fits. */
void probe_lines_members(struct probe_lines *lines, const char *text, const char *members, bool new_file);

/* In all that run. -1 after fail(). */
int probe_lines_place(struct probe_lines *lines);

/* Tells whether there are lines, so that programs may be probed that begin later. */
bool probe_lines_wanted(const struct probe_lines *lines);

/* These processes began to run a program. Places probes in what is new, turns them on, and writes their formats. -1 after fail(). */
int probe_lines_began(struct probe_lines *lines, const int32_t *pids, size_t count, struct tracefs_instance *instance, struct stream *stream);

#endif
