/*
 * permission: the machine's own file that says what may be recorded. Orders come from the network: of the job's file in an order, only the
 * lines count that the machine's file allows. run-edge(1) describes the file.
 *
 *	permission = permission_load("/etc/tailblame/edge");
 *	text = permission_filter(permission, order->text, &left);
 *	permission_free(permission);
 */
#ifndef FLEET_PERMISSION_H
#define FLEET_PERMISSION_H

#include <stdbool.h>

struct permission;

/* NULL after fail(): the file is malformed or cannot be read. A missing file allows nothing. */
struct permission *permission_load(const char *path);
void permission_free(struct permission *permission);

/* Tells whether runs of this program may be recorded. False also for a name that cannot stand in an event filter of the kernel. */
bool permission_covers(const struct permission *permission, const char *program);

/* Tells whether the file lists the whole name of the program. For a pattern, any user can give a program a name that fits. */
bool permission_names(const struct permission *permission, const char *program);

/*
 * The allowed lines of a job's file, and in *left the other lines as a sentence's part ("": all are allowed). The caller frees both. NULL after
 * fail(): the file names no program, or one that may not be recorded.
 */
char *permission_filter(const struct permission *permission, const char *text, char **left);

/* A copy of a job's file with these programs, separated by blanks, in place of its own. The caller frees it. */
char *permission_with_programs(const char *text, const char *programs);

#endif
