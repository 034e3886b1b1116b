/*
 * Not real-time, just many: a dozen busy threads share the victim's CPU with it, each as entitled as the victim.
 * Expected: greedy: on CPU N while victim was runnable
 */
#include "incident.h"

enum { THREADS = 12 };

static sem_t go;

static void greedy(void)
{
	incident_pin(0);
	for (;;) {
		incident_wait(&go);
		incident_compute(TROUBLE_MS * 1000 / 10);
	}
}

void request(void)
{
	incident_compute(20 * HEALTHY_US);
}

static void disturb(void)
{
	for (int n = 0; n < THREADS; n++)
		sem_post(&go);
}

int main(void)
{
	incident_pin(0);
	for (int n = 0; n < THREADS; n++)
		incident_thread("greedy", greedy);
	return incident_run(request, disturb);
}
