/*
 * A mutex in shared memory, held by another process while it computes.
 * Expected: neighbour: running
 */
#include "incident.h"

static pthread_mutex_t *lock;
static sem_t *hold, *held;

static void neighbour(void)
{
	for (;;) {
		incident_wait(hold);
		pthread_mutex_lock(lock);
		sem_post(held);
		incident_compute(TROUBLE_MS * 1000);
		pthread_mutex_unlock(lock);
	}
}

void request(void)
{
	pthread_mutex_lock(lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(lock);
}

static void disturb(void)
{
	sem_post(hold);
	incident_wait(held);
}

int main(void)
{
	lock = incident_mutex();
	hold = incident_semaphore();
	held = incident_semaphore();
	incident_process("neighbour", neighbour);
	return incident_run(request, disturb);
}
