/*
 * stage: a pipe of three processes that run-edge starts. Each ends with the thread that started it.
 *
 *	stages_start(&stages, functions, context);
 *	while (stages_run(&stages)) stages_reap(&stages, WNOHANG) ...
 */
#ifndef FLEET_STAGE_H
#define FLEET_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

enum { STAGES = 3 };

struct stages {
	pid_t pids[STAGES]; /* in the order of their pipe; 0: none, or it ended */
	bool failed;	    /* one could not be started, or ended with another status than 0 and 3 */
};

/* Runs a stage in its own process, from standard input to standard output; does not return. */
typedef void stage_function(void *context);

/* Starts what it can; the first reads what this process reads, the last writes what it writes. */
void stages_start(struct stages *stages, stage_function *const functions[STAGES], void *context);

bool stages_run(const struct stages *stages);		/* whether one of them has not ended */
void stages_reap(struct stages *stages, int options);	/* notes those that ended; `options` as of waitpid(2) */

/* Becomes a command of the suite; `commands` is what its path begins with. */
_Noreturn void stage_execute(const char *commands, char **arguments);

#endif
