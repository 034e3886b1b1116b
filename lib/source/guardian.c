#include "source/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/open_files.h"
#include "source/instance.h"
#include "source/markers.h"

/*
 * The guardian has two files open: the pipe, and the collector's pidfd. If the collector waits for it, the guardian tries for 2 s to remove
 * everything. After the end of a killed collector it tries for a minute, because somebody else may have something in use.
 */
enum { PIPE, COLLECTOR, FIRST_FREE, TRIES = 400, TRIES_ALONE = 12000, PAUSE_NS = 5 * 1000 * 1000 };

/* Changes the name and the command line: a kill by the collector's command line is meant for the collector only. */
static void rename_self(const char *name)
{
	size_t length = 0;
	char *line = file_read("/proc/self/cmdline", &length);

	prctl(PR_SET_NAME, name);
	if (line && length > strlen(name) && memcmp(line, program_invocation_name, strlen(program_invocation_name) + 1) == 0) {
		memset(program_invocation_name, 0, length);
		memcpy(program_invocation_name, name, strlen(name));
	}
	free(line);
}

static void write_if_allowed(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0) {
		/* it stays as it is */
	}
	close(fd);
}

/* A collector that lives on says so by a byte, which both guardians must see: neither takes it out of the pipe. */
static bool was_let_go(void)
{
	int bytes = 0;

	return ioctl(PIPE, FIONREAD, &bytes) == 0 && bytes > 0;
}

/*
 * Waits for the end of a killed collector. The kernel closes its files one by one, the pipe among the first. If others trace, each ring takes
 * up to a second, because the locks of tracefs are held while the kernel waits for all CPUs.
 */
static void await_end(void)
{
	struct pollfd end = {.fd = COLLECTOR, .events = POLLIN};

	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
}

static _Noreturn void remove_all(pid_t collector)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};
	bool alone = !was_let_go();

	if (alone)
		await_end();
	for (int i = 0; i < (alone ? TRIES_ALONE : TRIES); i++) {
		if (instance_remove(collector) == 0 && markers_sweep() == 0)
			_exit(0);
		nanosleep(&pause, NULL);
	}
	_exit(1);
}

void guardian_detach(const char *name)
{
	rename_self(name);
	setsid();
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_IGN);
	write_if_allowed("/proc/self/oom_score_adj", "-1000");
}

void guardian_leave_group(void)
{
	write_if_allowed("/sys/fs/cgroup/cgroup.procs", "0");
	write_if_allowed("/sys/fs/cgroup/unified/cgroup.procs", "0");
	write_if_allowed("/sys/fs/cgroup/systemd/cgroup.procs", "0");
}

static _Noreturn void guard_alone(pid_t collector)
{
	struct pollfd pipe = {.fd = PIPE, .events = POLLIN};

	guardian_detach("tailblame-ward");
	guardian_leave_group();
	while (poll(&pipe, 1, -1) < 0 && errno == EINTR)
		;
	remove_all(collector);
}

static pid_t fork_second(pid_t collector)
{
	pid_t pid = fork();

	if (pid == 0)
		guard_alone(collector);
	return pid;
}

static void child_ended(int signal_number)
{
	(void)signal_number; /* it interrupts ppoll() */
}

/* Waits until the collector ends or lets go. Meanwhile keeps a second guardian alive. */
static void guard_in_pairs(pid_t collector)
{
	struct sigaction action = {.sa_handler = child_ended};
	struct pollfd pipe = {.fd = PIPE, .events = POLLIN};
	sigset_t none, child;
	pid_t second = -1;

	sigemptyset(&none);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	sigaction(SIGCHLD, &action, NULL);
	do {
		if (second < 0 || waitpid(second, NULL, WNOHANG) == second)
			second = fork_second(collector);
	} while (ppoll(&pipe, 1, NULL, &none) < 0 && errno == EINTR);
}

static _Noreturn void guard(int pipe, pid_t collector)
{
	int process = (int)syscall(SYS_pidfd_open, collector, 0), moved = fcntl(process, F_DUPFD_CLOEXEC, FIRST_FREE);

	guardian_detach("tailblame-guard");
	dup2(pipe, PIPE); /* the reader of the collector's output waits for its end, and must not wait for ours */
	if (dup2(moved, COLLECTOR) < 0) /* an older kernel has no pidfd */
		close(COLLECTOR);
	open_files_close(FIRST_FREE);
	if (chdir("/") < 0) /* so that no file system is kept busy; it cannot fail */
		_exit(1);
	guard_in_pairs(collector);
	remove_all(collector);
}

int guardian_start(struct guardian *guardian)
{
	pid_t collector = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		fail_errno("cannot fork");
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	if (pid == 0) {
		close(ends[1]);
		guard(ends[0], collector);
	}
	close(ends[0]);
	*guardian = (struct guardian){.pid = pid, .pipe = ends[1]};
	return 0;
}

static void let_go(int pipe)
{
	if (write(pipe, "", 1) < 0) {
		/* there is no guardian */
	}
	close(pipe);
}

/* A killed guardian leaves its second one, which is let go: it finds all that it would remove in use. */
void guardian_keep(struct guardian *guardian)
{
	int pipe = guardian->pipe;

	if (waitpid(guardian->pid, NULL, WNOHANG) != 0 && guardian_start(guardian) == 0)
		let_go(pipe);
}

bool guardian_end(struct guardian *guardian)
{
	int status = 0;

	let_go(guardian->pipe);
	while (waitpid(guardian->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}
