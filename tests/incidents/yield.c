/*
 * The victim waits for a flag in a loop of sched_yield(); who is to set it shares its CPU and computes before.
 * Expected: setter: on CPU N while victim was runnable
 */
#include <sched.h>

#include "incident.h"

static volatile bool flag;
static sem_t wanted;

static void setter(void)
{
	incident_pin(0);
	for (;;) {
		incident_wait(&wanted);
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		flag = true;
	}
}

void request(void)
{
	flag = false;
	sem_post(&wanted);
	while (!flag)
		sched_yield();
}

int main(void)
{
	incident_thread("setter", setter);
	incident_pin(0);
	return incident_run(request, NULL);
}
