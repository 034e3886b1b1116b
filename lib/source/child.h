/*
 * child: the COMMAND that is traced from its first instruction on: forked early, let go when tracing is on.
 */
#ifndef SOURCE_CHILD_H
#define SOURCE_CHILD_H

#include <stdbool.h>

struct child {
	int pid;
	char *const *argv;
	int gate;   /* it waits for a byte from here */
	int report; /* empty if it could execute, else the errno */
	bool started; /* it was let go */
	bool ended;
	int status; /* as by waitpid() */
};

/*
 * Forks a process that will execute argv. In it `close_fd` is closed at once, and standard output becomes standard
 * error if `to_stderr`. If it is never let go it ends by itself, with its parent. -1 after fail().
 */
int child_fork(struct child *child, char *const *argv, int close_fd, bool to_stderr);

/* Lets it go; -1 after fail(): argv could not be executed. */
int child_go(struct child *child);

/* If it was not let go: it ends, and with it what it holds open of its parent's. */
void child_dismiss(struct child *child);

/* Whether it has ended; never waits. */
bool child_has_ended(struct child *child);

/* What to say of its end, "ended with status 3", "was killed by signal 9 (Killed)", "was not started"; NULL: it ended with 0, or runs. */
const char *child_complaint(const struct child *child);

#endif
