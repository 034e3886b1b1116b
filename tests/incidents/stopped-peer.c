/*
 * A warden stops the server that the victim asks, computes, and lets it go on.
 *	stopped-peer		by signals (SIGSTOP)
 *	stopped-peer freezer	by the freezer of control groups
 * Expected: warden: running
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "incident.h"

static sem_t *stop, *stopped;
static int to_server[2];
static pid_t peer;
static bool by_freezer;

static void enter_freezer(void)
{
	if (!incident_group("/sys/fs/cgroup", "cgroup.freeze", "0") &&
	    !incident_group("/sys/fs/cgroup/unified", "cgroup.freeze", "0"))
		incident_fail("no group that can be frozen");
	if (!incident_group_put("cgroup.procs", "%d", peer))
		incident_fail("cgroup.procs");
}

static void stop_peer(void)
{
	if (!by_freezer) {
		kill(peer, SIGSTOP);
		return;
	}
	incident_group_put("cgroup.freeze", "1");
	while (!incident_group_number("cgroup.events", "frozen"))
		;
}

static void let_peer_go_on(void)
{
	if (by_freezer)
		incident_group_put("cgroup.freeze", "0");
	else
		kill(peer, SIGCONT);
}

static void warden(void)
{
	for (;;) {
		incident_wait(stop);
		stop_peer();
		sem_post(stopped);
		incident_compute(TROUBLE_MS * 1000);
		let_peer_go_on();
	}
}

static void server(void)
{
	incident_serve(to_server[1]);
}

void request(void)
{
	incident_ask(to_server[0], HEALTHY_US);
}

static void disturb(void)
{
	sem_post(stop);
	incident_wait(stopped);
}

int main(int argc, char **argv)
{
	int status;

	by_freezer = argc > 1 && !strcmp(argv[1], "freezer");
	stop = incident_semaphore();
	stopped = incident_semaphore();
	incident_pair(to_server);
	peer = incident_process("server", server);
	if (by_freezer)
		enter_freezer();
	incident_process("warden", warden);
	status = incident_run(request, disturb);
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
	if (by_freezer)
		incident_group_remove();
	return status;
}
