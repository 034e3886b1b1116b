/*
 * A server with an event loop starts a script for each request, and answers when a signal tells that it has ended, as for CGI. It looks around every
 * 50 ms besides.
 * The script prints a header at once; then a command of it waits for the lock of a file, which another process holds while it computes.
 * Expected: keeper: running
 */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { TICK_MS = 50 };

static int pair[2], output[2], loop;

static void script(void)
{
	char lock[4096] = "";

	if (readlink("/proc/self/exe", lock, sizeof(lock) - 1) < 0)
		incident_fail("readlink");
	dup2(output[1], STDOUT_FILENO);
	execlp("sh", "sh", "-c", "echo; flock \"$0\" echo; :", lock, (char *)NULL);
	incident_fail("sh");
}

static void watch(int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) < 0)
		incident_fail("epoll_ctl");
}

static void is_over(int number)
{
	(void)number;
}

static void server(void)
{
	struct epoll_event event;
	pid_t child = 0;
	char byte = 0;

	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = is_over}, NULL);
	loop = epoll_create1(0);
	watch(pair[1]);
	watch(output[0]);
	for (;;) {
		if (epoll_wait(loop, &event, 1, TICK_MS) == 1)
			incident_read(event.data.fd, &byte, 1);
		if (byte == 'q')
			child = incident_process("script", script);
		byte = 0;
		if (child > 0 && waitpid(child, NULL, WNOHANG) == child)
			incident_write(pair[1], "a", 1);
	}
}

void request(void)
{
	char answer;

	incident_write(pair[0], "q", 1);
	incident_read(pair[0], &answer, 1);
}

int main(void)
{
	incident_pair(pair);
	if (pipe(output) < 0)
		incident_fail("pipe");
	incident_keeper();
	incident_process("server", server);
	return incident_run(request, incident_keep);
}
