#include "fleet/stage.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

pid_t stage_start(int in, int out)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return fail_errno("cannot fork");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if ((in >= 0 && dup2(in, STDIN_FILENO) < 0) || (out >= 0 && dup2(out, STDOUT_FILENO) < 0))
		_exit(1);
	return 0;
}

_Noreturn void stage_execute(const char *commands, char **arguments)
{
	char *path = memory_format("%s%s", commands, arguments[0]);

	execv(path, arguments);
	fprintf(stderr, "run-edge: cannot start '%s': %s\n", path, strerror(errno));
	_exit(127);
}
