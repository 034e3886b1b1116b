/*
 * permission: the machine's own file that says what may be recorded. Orders come from the network: of a job's file that came with one, only the
 * lines that the machine's file allows count. run-edge(1) describes the file.
 *
 *	permission = permission_load("/etc/tailblame/edge");
 *	text = permission_filter(permission, order->text, &left);
 *	permission_free(permission);
 */
#ifndef FLEET_PERMISSION_H
#define FLEET_PERMISSION_H

#include <stdbool.h>

struct permission;

/* NULL after fail(): the file is malformed. A file that is not there allows nothing. */
struct permission *permission_load(const char *path);
void permission_free(struct permission *permission);

/* Tells whether runs of this program may be recorded, and a filter of the kernel may have its name. */
bool permission_covers(const struct permission *permission, const char *program);

/* Tells whether the file lists its whole name: others may give their own programs a name that fits a pattern. */
bool permission_names(const struct permission *permission, const char *program);

/*
 * The lines of a job's file that are allowed, which the caller frees, and in *left, in words, those that are not ("": all are; the caller
 * frees it). NULL after fail(): it names no program, or one that may not be recorded.
 */
char *permission_filter(const struct permission *permission, const char *text, char **left);

/* A job's file with these programs, which have blanks between them, in place of its own. The caller frees it. */
char *permission_with_programs(const char *text, const char *programs);

#endif
