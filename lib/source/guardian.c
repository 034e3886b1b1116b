#include "source/guardian.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "source/instance.h"

/* The kernel closes a killed collector's files one by one, and the pipe may be closed before the last ring is. */
enum { TRIES = 400, PAUSE_NS = 5 * 1000 * 1000 };

/* For kernels before 5.9. There may be room for a thousand million files, so those are asked for that there are. */
static void close_each(void)
{
	DIR *files = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (files && (entry = readdir(files))) {
		int fd = atoi(entry->d_name);

		if (fd > 0 && fd != dirfd(files))
			close(fd);
	}
	if (files)
		closedir(files);
}

/* But for the first. */
static void close_all(void)
{
	if (close_range(1, ~0U, 0) < 0)
		close_each();
}

static _Noreturn void guard(int pipe, pid_t collector)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};
	char byte;

	prctl(PR_SET_NAME, "tailblame-guard");
	setsid();
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_IGN);
	dup2(pipe, 0); /* whoever waits for the end of the collector's output must not wait for ours */
	close_all();
	if (chdir("/") < 0) /* nor should we hold a file system busy; it can be no error */
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; i < TRIES; i++) {
		if (instance_remove(collector) == 0)
			_exit(0);
		nanosleep(&pause, NULL);
	}
	_exit(1);
}

int guardian_start(struct guardian *guardian)
{
	pid_t collector = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno("cannot make a pipe");
	guardian->pid = fork();
	if (guardian->pid < 0)
		return fail_errno("cannot fork");
	if (guardian->pid == 0) {
		close(ends[1]);
		guard(ends[0], collector);
	}
	close(ends[0]);
	guardian->pipe = ends[1];
	return 0;
}

bool guardian_end(struct guardian *guardian)
{
	int status = 0;

	close(guardian->pipe);
	while (waitpid(guardian->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}
