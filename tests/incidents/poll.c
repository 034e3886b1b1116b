/*
 * The victim waits for a flag by looking at it every few milliseconds. Nothing in the kernel tells who sets it: all that
 * can be seen is that the victim sleeps.
 * Expected: timer: clock_nanosleep of victim
 */
#include "incident.h"

static volatile bool flag;
static sem_t wanted;

static void setter(void)
{
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
		incident_sleep(2000);
}

int main(void)
{
	incident_thread("setter", setter);
	return incident_run(request, NULL);
}
