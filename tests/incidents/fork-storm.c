/*
 * Another process forks one short-lived child after the other, all on the victim's CPU and all with a better nice value.
 * Expected: storm: on CPU ... while victim was runnable
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { CHILDREN = 60, CHILD_US = 3000 };

static sem_t *go;

static void storm(void)
{
	incident_pin(0);
	setpriority(PRIO_PROCESS, 0, -20);
	for (;;) {
		incident_wait(go);
		incident_sleep(HEALTHY_US); /* the request begins meanwhile */
		for (int n = 0; n < CHILDREN; n++)
			if (fork() == 0) {
				incident_compute(CHILD_US);
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
	}
}

void request(void)
{
	incident_compute(4 * HEALTHY_US);
}

static void disturb(void)
{
	sem_post(go);
}

int main(void)
{
	go = incident_semaphore();
	incident_process("storm", storm);
	incident_pin(0);
	setpriority(PRIO_PROCESS, 0, 5);
	return incident_run(request, disturb);
}
