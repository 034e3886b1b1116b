/*
 * Another process stops the victim (SIGSTOP), computes, and lets it go on.
 * Expected: warden: running
 */
#include <signal.h>
#include <unistd.h>

#include "incident.h"

static sem_t *stop;

static void warden(void)
{
	for (;;) {
		incident_wait(stop);
		incident_sleep(HEALTHY_US); /* the request begins meanwhile */
		kill(getppid(), SIGSTOP);
		incident_compute(TROUBLE_MS * 1000);
		kill(getppid(), SIGCONT);
	}
}

void request(void)
{
	incident_compute(4 * HEALTHY_US);
}

static void disturb(void)
{
	sem_post(stop);
}

int main(void)
{
	stop = incident_semaphore();
	incident_process("warden", warden);
	return incident_run(request, disturb);
}
