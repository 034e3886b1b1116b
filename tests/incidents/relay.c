/*
 * A lock in shared memory goes through three processes before the victim gets it: the first and the third hold it for a
 * moment, the second for long.
 * Expected: second: running
 */
#include "incident.h"

struct shared {
	pthread_mutex_t lock;
	sem_t go[3], held;
};

static struct shared *shared;

static void hold(int turn, long us)
{
	for (;;) {
		incident_wait(&shared->go[turn]);
		pthread_mutex_lock(&shared->lock);
		sem_post(&shared->held);
		incident_sleep(turn ? 0 : 20000); /* until all stand in line */
		incident_compute(us);
		pthread_mutex_unlock(&shared->lock);
	}
}

static void first(void)
{
	hold(0, HEALTHY_US);
}

static void second(void)
{
	hold(1, TROUBLE_MS * 1000);
}

static void third(void)
{
	hold(2, 10 * HEALTHY_US);
}

void request(void)
{
	pthread_mutex_lock(&shared->lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(&shared->lock);
}

static void disturb(void)
{
	sem_post(&shared->go[0]);
	incident_wait(&shared->held);
	for (int turn = 1; turn < 3; turn++) {
		sem_post(&shared->go[turn]);
		incident_sleep(3000);
	}
}

int main(void)
{
	pthread_mutexattr_t attributes;

	shared = incident_shared(sizeof(*shared));
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attributes);
	for (int turn = 0; turn < 3; turn++)
		sem_init(&shared->go[turn], 1, 0);
	sem_init(&shared->held, 1, 0);
	incident_process("first", first);
	incident_process("second", second);
	incident_process("third", third);
	return incident_run(request, disturb);
}
