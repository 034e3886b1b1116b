#include "fleet/stage_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

/* Starts a process that reads `in` and writes `out` (-1: the same as this process). Returns its pid; 0: it could not be made. */
static pid_t start(stage_function *function, void *context, int in, int out)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return pid < 0 ? 0 : pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if ((in >= 0 && dup2(in, STDIN_FILENO) < 0) || (out >= 0 && dup2(out, STDOUT_FILENO) < 0))
		_exit(1);
	function(context);
	_exit(1);
}

/* No process keeps the writing end of the pipe that it reads, or it would never see the end of its input. */
void stage_pipe_start(struct stage_pipe *stages, stage_function *const functions[STAGES], void *context)
{
	int in = -1;

	*stages = (struct stage_pipe){.failed = false};
	for (int i = 0; i < STAGES && !stages->failed; i++) {
		int ends[2] = {-1, -1};

		if (i + 1 == STAGES || pipe2(ends, O_CLOEXEC) == 0)
			stages->pids[i] = start(functions[i], context, in, ends[1]);
		stages->failed = stages->pids[i] == 0;
		if (in >= 0)
			close(in);
		if (ends[1] >= 0)
			close(ends[1]);
		in = ends[0];
	}
	if (in >= 0)
		close(in);
}

bool stage_pipe_runs(const struct stage_pipe *stages)
{
	bool run = false;

	for (int i = 0; i < STAGES; i++)
		run |= stages->pids[i] > 0;
	return run;
}

void stage_pipe_reap(struct stage_pipe *stages, int options)
{
	int status = 0;

	for (int i = 0; i < STAGES; i++)
		if (stages->pids[i] > 0 && waitpid(stages->pids[i], &status, options) != 0) {
			stages->pids[i] = 0;
			stages->failed |= !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3);
		}
}

_Noreturn void stage_execute(const char *commands, char **arguments)
{
	char *path = memory_format("%s%s", commands, arguments[0]);

	execv(path, arguments);
	fprintf(stderr, "run-edge: cannot start '%s': %s\n", path, strerror(errno));
	_exit(127);
}
