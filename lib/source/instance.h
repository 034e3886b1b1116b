/*
 * instance: a private tracing instance, and the promise that nothing of it stays behind.
 *
 * All that a collector makes in tracefs carries its pid: the instance `tailblame-PID` with its rings, events and
 * filters, a second one `tailblame-PID.kept` for events that stay in the kernel (source/recorder.h), and the uprobes of the
 * group `tailblame_PID`. All PID namespaces share tracefs; in a namespace other than the machine's own the names carry its number as well:
 * `tailblame-PID.SPACE` and `tailblame_PID_SPACE`. So the pid is all that is needed to remove them: the collector does so at its end,
 * its guardian (source/guardian.h) if the collector was killed, and the next collector, of any namespace, if both were killed.
 *
 * From the beginning on, a collector holds the file `free_buffer` of each instance open. The kernel does not remove an instance while
 * that file is open, so an instance that it does remove was left behind. When the last process that holds the file is gone, the kernel turns
 * tracing off there and frees the rings. Until somebody removes the instance, an event then costs a look at a switch. A lock on the folder
 * `instances` keeps makers and sweepers apart; it, too, ends with its process.
 *
 * Nothing outside of the instance is changed, except that tracefs is mounted if it was not. It stays mounted, because somebody else may use
 * it by then.
 */
#ifndef SOURCE_INSTANCE_H
#define SOURCE_INSTANCE_H

#include <stdint.h>
#include <sys/types.h>

#include <tracefs.h>

/* Finds tracefs, or mounts it. Returns its path, which libtracefs owns; NULL after fail() with the next step. */
const char *instance_tracefs(void);

/* 0: this process may make instances, and so may remove them; -1 after fail() with the next step. */
int instance_allowed(void);

/*
 * The number of the PID namespace that this process is in; 0: the machine's own, or /proc does not tell. Only in the machine's own do
 * processes have the same numbers in /proc as in events.
 */
unsigned instance_space(void);

/*
 * The number that events give to this thread, in whatever PID namespace it is; 0: unknown. In the instance no events may be on yet. In a
 * namespace other than the machine's own, tracing in the instance is turned on for a moment, and then off.
 */
int32_t instance_tid(struct tracefs_instance *instance);

/*
 * Makes this process's instance, or its second one, with tracing off. The caller closes *hold right before it removes the instance: an open
 * *hold prevents the removal, and tracing ends when it is closed. NULL after fail(). Free it with tracefs_instance_free().
 */
struct tracefs_instance *instance_create(int *hold);
struct tracefs_instance *instance_create_keeper(int *hold);

/* Removes all that the process with this pid made. 0: nothing is left; -1 after fail(): something is still in use. */
int instance_remove(pid_t pid);

/* Removes what collectors that are gone have left. Call it before this process makes its own. Does nothing while another makes or removes one. */
void instance_remove_stale(void);

/* Gives each CPU's ring this number of bytes. -1 after fail(). */
int instance_size_rings(struct tracefs_instance *instance, uint64_t size);

/* Writes text to a file of the instance ("buffer_percent"). -1 after fail(). */
int instance_write(struct tracefs_instance *instance, const char *file, const char *text);

/* Fails with the text of errno for a path below tracefs, "cannot read '...'", and the next step; returns -1. */
int instance_fail_access(const char *verb, const char *path);

/* The same for a file of an instance, without the next step. */
int instance_fail_file(struct tracefs_instance *instance, const char *verb, const char *file);

/* The name of this process's group of uprobes; valid until the next call. */
const char *instance_probe_group(void);

/* Tells whether a system of events is a collector's group of uprobes. */
bool instance_is_probe_group(const char *system);

#endif
