/*
 * A mutex in shared memory, held by another process while it computes.
 * Expected: neighbour: running
 */
#include "incident.h"

static struct {
	pthread_mutex_t lock;
	sem_t hold, held;
} * shared;

static void neighbour(void)
{
	for (;;) {
		incident_wait(&shared->hold);
		pthread_mutex_lock(&shared->lock);
		sem_post(&shared->held);
		incident_compute(TROUBLE_MS * 1000);
		pthread_mutex_unlock(&shared->lock);
	}
}

void request(void)
{
	pthread_mutex_lock(&shared->lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(&shared->lock);
}

static void disturb(void)
{
	sem_post(&shared->hold);
	incident_wait(&shared->held);
}

int main(void)
{
	pthread_mutexattr_t attributes;

	shared = incident_shared(sizeof(*shared));
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attributes);
	sem_init(&shared->hold, 1, 0);
	sem_init(&shared->held, 1, 0);
	incident_process("neighbour", neighbour);
	return incident_run(request, disturb);
}
