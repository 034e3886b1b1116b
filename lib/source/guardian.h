/*
 * guardian: a small process that outlives the collector, if only by a moment, and removes what it left in tracefs.
 *
 * It is forked before the collector makes anything. It lives in a session of its own, ignores all signals that can be ignored, holds none
 * of the collector's files open, and waits for the end of a pipe that only the collector can write to. A collector killed with
 * SIGKILL cannot tidy up. But then its pipe closes. The guardian waits until the process has ended, because only then are all its files
 * closed. A collector that lets its guardian go, and lives on, first writes a byte.
 *
 * Something may kill both at once. So the guardian has a second one with another name and session, which moves into the root control group
 * if permitted. Neither bears the collector's command line, and the kernel does not choose them when memory runs out. The collector
 * replaces a guardian that was killed; the guardian replaces its second. If all three are killed together, the kernel turns tracing
 * off (source/instance.h), and the next start removes the rest.
 */
#ifndef SOURCE_GUARDIAN_H
#define SOURCE_GUARDIAN_H

#include <stdbool.h>

struct guardian {
	int pid;
	int pipe; /* a child of the collector that does not exec at once must close its copy */
};

/*
 * For a process just forked that works until the end of a pipe: gives it a name and a session of its own, and no signals; the kernel does not choose
 * it when memory runs out.
 */
void guardian_detach(const char *name);

/* Moves this process into the root control group, if permitted: a service manager, cgroup.kill and cgroup.freeze act on a whole group. */
void guardian_leave_group(void);

/* Starts the guardian of this process. -1 after fail(). */
int guardian_start(struct guardian *guardian);

/* Starts another guardian if this one was killed. */
void guardian_keep(struct guardian *guardian);

/* Lets the guardian go, and waits for its end. False: something in tracefs could not be removed within two seconds, and stays. */
bool guardian_end(struct guardian *guardian);

#endif
