#include "trigger/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/open_files.h"

enum { NAME_ROOM = 256 };

struct runner {
	int orders, life; /* write end of the pipe that the process reads; read end of a pipe that closes when the process ends */
	unsigned long dropped;
};

struct order { /* smaller than PIPE_BUF, so that write() writes all of it or nothing */
	int64_t ts;
	int32_t tid, pid;
	char trigger[NAME_ROOM];
};

static void set_number(const char *name, int32_t number)
{
	char text[NUMBER_ROOM] = "";

	if (number > 0)
		number_spell_integer(text, number);
	setenv(name, text, 1);
}

static void run(const char *command, const struct order *order)
{
	char text[NUMBER_ROOM];
	pid_t pid = fork();

	if (pid == 0) {
		number_spell_time(text, order->ts);
		setenv("TAILBLAME_TRIGGER", order->trigger, 1);
		setenv("TAILBLAME_TS", text, 1);
		set_number("TAILBLAME_PID", order->pid);
		set_number("TAILBLAME_TID", order->tid);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Runs a command for each order, until the write end of the pipe is closed. */
static _Noreturn void serve(const char *command, int orders)
{
	struct order order;
	ssize_t got;

	prctl(PR_SET_NAME, "trigger-runner");
	signal(SIGPIPE, SIG_DFL);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	open_files_restore();
	for (;;) {
		got = read(orders, &order, sizeof(order));
		if (got == (ssize_t)sizeof(order))
			run(command, &order);
		else if (got >= 0 || errno != EINTR)
			_exit(0);
	}
}

struct runner *runner_new(const char *command)
{
	int orders[2], life[2], null;
	struct runner *runner;
	pid_t pid;

	if (pipe2(orders, O_CLOEXEC) < 0) {
		fail_errno("cannot make a pipe");
		return NULL;
	}
	if (pipe2(life, O_CLOEXEC) < 0) {
		fail_errno("cannot make a pipe");
		goto out;
	}
	pid = fork();
	if (pid < 0) {
		fail_errno("cannot fork");
		close(life[0]);
		close(life[1]);
		goto out;
	}
	if (pid == 0) {
		close(orders[1]);
		close(STDIN_FILENO); /* it is the stream */
		null = open("/dev/null", O_RDONLY);
		if (null != STDIN_FILENO)
			_exit(1);
		serve(command, orders[0]);
	}
	close(orders[0]);
	close(life[1]);
	fcntl(orders[1], F_SETFL, O_NONBLOCK);
	runner = NEW(struct runner);
	*runner = (struct runner){.orders = orders[1], .life = life[0]};
	return runner;
out:
	close(orders[0]);
	close(orders[1]);
	return NULL;
}

void runner_tell(struct runner *runner, const struct watch_firing *firing)
{
	struct order order = {.ts = firing->ts, .tid = firing->tid, .pid = firing->pid};

	snprintf(order.trigger, sizeof(order.trigger), "%s", firing->trigger);
	if (write(runner->orders, &order, sizeof(order)) != (ssize_t)sizeof(order))
		runner->dropped++;
}

unsigned long runner_end(struct runner *runner)
{
	unsigned long dropped = runner ? runner->dropped : 0;
	char byte;

	if (!runner)
		return 0;
	close(runner->orders);
	while (read(runner->life, &byte, 1) < 0 && errno == EINTR)
		;
	close(runner->life);
	free(runner);
	return dropped;
}
