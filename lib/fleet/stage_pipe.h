/*
 * stage_pipe: a pipe of three processes that run-edge starts. Each ends with the thread that started it.
 *
 *	stage_pipe_start(&stages, functions, context);
 *	while (stage_pipe_runs(&stages)) stage_pipe_reap(&stages, WNOHANG) ...
 */
#ifndef FLEET_STAGE_PIPE_H
#define FLEET_STAGE_PIPE_H

#include <stdbool.h>
#include <sys/types.h>

enum { STAGES = 3 };

struct stage_pipe {
	pid_t pids[STAGES]; /* in the order of the pipe; 0: none, or it ended */
	bool failed;	    /* a process could not be started, or ended with a status other than 0 and 3 */
};

/* Runs a stage in its own process, from standard input to standard output; does not return. */
typedef void stage_function(void *context);

/* Starts the processes, until one fails. The first reads this process's standard input, the last writes its standard output. */
void stage_pipe_start(struct stage_pipe *stages, stage_function *const functions[STAGES], void *context);

bool stage_pipe_runs(const struct stage_pipe *stages);		/* whether one of them has not ended */
void stage_pipe_reap(struct stage_pipe *stages, int options);	/* notes processes that ended; `options` are those of waitpid(2) */

/* Becomes a command of the suite; `commands` is the prefix of its path. */
_Noreturn void stage_execute(const char *commands, char **arguments);

#endif
