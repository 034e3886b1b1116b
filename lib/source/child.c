#include "source/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/open_files.h"

static _Noreturn void wait_and_exec(int gate, int report, char *const *argv)
{
	const char *slash = strrchr(argv[0], '/');
	char byte;
	ssize_t got;

	prctl(PR_SET_NAME, slash ? slash + 1 : argv[0]); /* so that it does not look like a part of the collector before the exec, either */
	do
		got = read(gate, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(1); /* the collector failed, or has ended */
	open_files_restore();
	execvp(argv[0], argv);
	got = write(report, &errno, sizeof(errno));
	_exit(got < 0 ? 126 : 127);
}

int child_fork(struct child *child, char *const *argv, int close_fd, bool to_stderr)
{
	int gate[2], report[2];

	*child = (struct child){.pid = -1, .argv = argv};
	if (pipe2(gate, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	child->pid = fork();
	if (child->pid < 0)
		return fail_errno("cannot fork");
	if (child->pid == 0) {
		close(close_fd);
		close(gate[1]);
		signal(SIGPIPE, SIG_DFL);
		if (to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		wait_and_exec(gate[0], report[1], argv);
	}
	close(gate[0]);
	close(report[1]);
	child->gate = gate[1];
	child->report = report[0];
	return 0;
}

int child_go(struct child *child)
{
	int reason;
	ssize_t got;

	if (write(child->gate, "", 1) != 1)
		return fail_errno("cannot start '%s'", child->argv[0]);
	child->started = true;
	close(child->gate);
	do
		got = read(child->report, &reason, sizeof(reason)); /* an exec that succeeds closes the other end */
	while (got < 0 && errno == EINTR);
	close(child->report);
	if (got == (ssize_t)sizeof(reason)) {
		errno = reason;
		return fail_errno("cannot run '%s'", child->argv[0]);
	}
	return 0;
}

void child_dismiss(struct child *child)
{
	if (child->pid <= 0 || child->started)
		return;
	close(child->gate);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

bool child_has_ended(struct child *child)
{
	if (!child->ended && child->pid > 0)
		child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->ended;
}

const char *child_complaint(const struct child *child)
{
	static char text[64];

	if (child->pid > 0 && !child->started)
		return "was not started";
	if (!child->ended || child->status == 0)
		return NULL;
	if (WIFSIGNALED(child->status))
		snprintf(text, sizeof(text), "was killed by signal %d (%s)", WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
	else
		snprintf(text, sizeof(text), "ended with status %d", WEXITSTATUS(child->status));
	return text;
}
