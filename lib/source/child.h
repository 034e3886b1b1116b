/*
 * child: the process of the user's COMMAND. It is forked early and starts the COMMAND when tracing is on, so that all of it is traced.
 */
#ifndef SOURCE_CHILD_H
#define SOURCE_CHILD_H

#include <stdbool.h>

struct child {
	int pid;
	char *const *argv;
	int gate;   /* the child waits for a byte from here */
	int report; /* empty if the child could execute argv, else it has the errno */
	bool started; /* child_go() was called */
	bool ended;
	int status; /* as by waitpid() */
};

/*
 * Forks a process that will execute argv. The child closes `close_fd` at once; with `to_stderr`, its standard output
 * is our standard error. A child that is never started ends with its parent. -1 after fail().
 */
int child_fork(struct child *child, char *const *argv, int close_fd, bool to_stderr);

/* Starts the command. -1 after fail(): argv could not be executed. */
int child_go(struct child *child);

/* Ends a child that was not started, and waits for its end, so that the files that it has from us are closed. */
void child_dismiss(struct child *child);

/* Tells whether the child has ended; never waits. */
bool child_has_ended(struct child *child);

/* Its end in words: "ended with status 3", "was killed by signal 9 (Killed)", "was not started"; NULL: it ended with 0, or runs. */
const char *child_complaint(const struct child *child);

#endif
