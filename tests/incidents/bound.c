/*
 * The six threads of a pool are all bound to the CPU that the victim is bound to, by mistake. None of them takes more of it
 * than the victim does.
 * Expected: pool-*: on CPU N while victim was runnable
 */
#include <stdio.h>

#include "incident.h"

enum { THREADS = 6, NAME_SIZE = 16 };

static sem_t go;

static void pool(void)
{
	incident_pin(0);
	for (;;) {
		incident_wait(&go);
		incident_compute(TROUBLE_MS * 1000 / THREADS);
	}
}

void request(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 / THREADS : HEALTHY_US);
}

static void disturb(void)
{
	for (int n = 0; n < THREADS; n++)
		sem_post(&go);
}

int main(void)
{
	static char names[THREADS][NAME_SIZE];

	for (int n = 0; n < THREADS; n++) {
		snprintf(names[n], NAME_SIZE, "pool-%d", n);
		incident_thread(names[n], pool);
	}
	incident_pin(0);
	return incident_run(request, disturb);
}
