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
	pid_t pids[STAGES]; /* in the order of their pipe; 0: none, or it ended */
	bool failed;	    /* one could not be started, or ended with another status than 0 and 3 */
};

/* Runs a stage in its own process, from standard input to standard output; does not return. */
typedef void stage_function(void *context);

/* Starts what it can; the first reads what this process reads, the last writes what it writes. */
void stage_pipe_start(struct stage_pipe *stages, stage_function *const functions[STAGES], void *context);

bool stage_pipe_runs(const struct stage_pipe *stages);		/* whether one of them has not ended */
void stage_pipe_reap(struct stage_pipe *stages, int options);	/* notes those that ended; `options` as of waitpid(2) */

/* Becomes a command of the suite; `commands` is what its path begins with. */
_Noreturn void stage_execute(const char *commands, char **arguments);

#endif
