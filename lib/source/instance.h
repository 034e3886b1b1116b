/*
 * instance: a private tracing instance, and the promise that nothing of it stays behind.
 *
 * All that a collector makes in tracefs carries its pid: the instance `tailblame-PID` with its rings, events and
 * filters, a second one `tailblame-PID.kept` for events that stay in the kernel (source/recorder.h), and the uprobes of the group `tailblame_PID`. So whoever knows the pid can remove it: the collector at
 * its end, its guardian (source/guardian.h) when the collector was killed, and the next collector when both were.
 * Nothing outside of the instance is changed, but that tracefs is mounted where it was not; it stays mounted, for
 * somebody else may use it by then.
 */
#ifndef SOURCE_INSTANCE_H
#define SOURCE_INSTANCE_H

#include <sys/types.h>

#include <tracefs.h>

/* Finds tracefs, or mounts it; the path, which is libtracefs's; NULL after fail() that says what to do. */
const char *instance_tracefs(void);

/* Makes this process's instance, with tracing off. NULL after fail(). Free it with tracefs_instance_free(). */
struct tracefs_instance *instance_create(void);
struct tracefs_instance *instance_create_keeper(void);

/* Removes what the process with this pid made. 0: nothing is left; -1 after fail(): something is still in use. */
int instance_remove(pid_t pid);

/* Removes what collectors made that are no more. What is in use cannot be removed, so live ones are safe. */
void instance_remove_stale(void);

/* Writes text to a file of the instance ("buffer_percent"). -1 after fail(). */
int instance_write(struct tracefs_instance *instance, const char *file, const char *text);

/* Fails with the text of errno for a path below tracefs, "cannot read '...'", and the next step; returns -1. */
int instance_fail_access(const char *verb, const char *path);

/* The name of this process's group of uprobes. */
const char *instance_probe_group(void);

#endif
