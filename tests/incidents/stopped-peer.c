/*
 * A warden stops the server (SIGSTOP) that the victim asks, computes, and lets it go on.
 * Expected: warden: running
 */
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

static sem_t *stop, *stopped;
static int pair[2];
static pid_t peer;

static void warden(void)
{
	for (;;) {
		incident_wait(stop);
		kill(peer, SIGSTOP);
		sem_post(stopped);
		incident_compute(TROUBLE_MS * 1000);
		kill(peer, SIGCONT);
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
	sem_post(stop);
	incident_wait(stopped);
}

int main(void)
{
	stop = incident_semaphore();
	stopped = incident_semaphore();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		incident_fail("socketpair");
	peer = incident_process("server", server);
	incident_process("warden", warden);
	return incident_run(request, disturb);
}
