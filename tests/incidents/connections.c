/*
 * A small pool of connections, all of them taken by one hoarder, who computes before it gives them back.
 * Expected: hoarder: running
 */
#include "incident.h"

enum { CONNECTIONS = 4 };

static sem_t connections, hoard, hoarded;

static void hoarder(void)
{
	for (;;) {
		incident_wait(&hoard);
		for (int n = 0; n < CONNECTIONS; n++)
			incident_wait(&connections);
		sem_post(&hoarded);
		incident_compute(TROUBLE_MS * 1000);
		for (int n = 0; n < CONNECTIONS; n++)
			sem_post(&connections);
	}
}

void request(void)
{
	incident_wait(&connections);
	incident_compute(HEALTHY_US);
	sem_post(&connections);
}

static void disturb(void)
{
	sem_post(&hoard);
	incident_wait(&hoarded);
}

int main(void)
{
	sem_init(&connections, 0, CONNECTIONS);
	incident_thread("hoarder", hoarder);
	return incident_run(request, disturb);
}
