/*
 * A warden freezes the server that the victim asks (the freezer of control groups), computes, and thaws it.
 * Expected: warden: running
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static char group[128];
static sem_t *freeze, *frozen;
static int pair[2];

static bool put(const char *file, const char *text)
{
	char path[192];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	fd = open(path, O_WRONLY);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool make_group(const char *parent)
{
	snprintf(group, sizeof(group), "%s/incident-freezer.%d", parent, getpid());
	if (mkdir(group, 0700) < 0)
		return false;
	if (put("cgroup.freeze", "0"))
		return true;
	rmdir(group);
	return false;
}

static bool is_frozen(void)
{
	char path[192], events[64] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.events", group);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, events, sizeof(events) - 1) < 0)
		incident_fail(path);
	close(fd);
	return strstr(events, "frozen 1") != NULL;
}

static void warden(void)
{
	for (;;) {
		incident_wait(freeze);
		put("cgroup.freeze", "1");
		while (!is_frozen())
			;
		sem_post(frozen);
		incident_compute(TROUBLE_MS * 1000);
		put("cgroup.freeze", "0");
	}
}

static void server(void)
{
	long us;

	for (;;) {
		incident_read(pair[1], &us, sizeof(us));
		incident_compute(us);
		incident_write(pair[1], &us, sizeof(us));
	}
}

void request(void)
{
	long us = HEALTHY_US;

	incident_write(pair[0], &us, sizeof(us));
	incident_read(pair[0], &us, sizeof(us));
}

static void disturb(void)
{
	sem_post(freeze);
	incident_wait(frozen);
}

int main(void)
{
	char text[16];
	int status;
	pid_t peer;

	if (!make_group("/sys/fs/cgroup") && !make_group("/sys/fs/cgroup/unified"))
		incident_fail("no group that can be frozen");
	freeze = incident_semaphore();
	frozen = incident_semaphore();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		incident_fail("socketpair");
	peer = incident_process("server", server);
	snprintf(text, sizeof(text), "%d", peer);
	if (!put("cgroup.procs", text))
		incident_fail(group);
	incident_process("warden", warden);
	status = incident_run(request, disturb);
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
	rmdir(group);
	return status;
}
