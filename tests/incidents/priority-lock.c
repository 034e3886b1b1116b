/*
 * The victim wants a lock with priority inheritance (a futex of the kind PI), which another thread holds while it
 * computes.
 * Expected: holder: running
 */
#include "incident.h"

static pthread_mutex_t lock;
static sem_t go, held;

static void holder(void)
{
	for (;;) {
		incident_wait(&go);
		pthread_mutex_lock(&lock);
		sem_post(&held);
		incident_compute(TROUBLE_MS * 1000);
		pthread_mutex_unlock(&lock);
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
	sem_post(&go);
	incident_wait(&held);
}

int main(void)
{
	pthread_mutexattr_t inherits;

	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &inherits);
	sem_init(&go, 0, 0);
	sem_init(&held, 0, 0);
	incident_thread("holder", holder);
	return incident_run(request, disturb);
}
