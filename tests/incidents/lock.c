/*
 * The victim waits for a mutex. Its holder does not use it: it waits for a result that a third thread, the grinder,
 * is computing. Culprit: the grinder, not the holder.
 * Expected: grinder: running
 */
#include "incident.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold, held, grind, ground;

static void holder(void)
{
	for (;;) {
		incident_wait(&hold);
		pthread_mutex_lock(&lock);
		sem_post(&grind);
		sem_post(&held);
		incident_wait(&ground);
		pthread_mutex_unlock(&lock);
	}
}

static void grinder(void)
{
	for (;;) {
		incident_wait(&grind);
		incident_compute(TROUBLE_MS * 1000);
		sem_post(&ground);
	}
}

void request(void)
{
	pthread_mutex_lock(&lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(&lock);
}

static void disturb(void)
{
	sem_post(&hold);
	incident_wait(&held);
}

int main(void)
{
	incident_thread("holder", holder);
	incident_thread("grinder", grinder);
	return incident_run(request, disturb);
}
