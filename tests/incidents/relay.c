/*
 * A lock in shared memory goes through three processes before the victim gets it: the first and the third hold it for a
 * moment, the second for long.
 * Expected: second: running
 */
#include "incident.h"

static pthread_mutex_t *lock;
static sem_t *go[3], *held;

static void hold(int turn, long us)
{
	for (;;) {
		incident_wait(go[turn]);
		pthread_mutex_lock(lock);
		sem_post(held);
		incident_sleep(turn ? 0 : 20000); /* until all stand in line */
		incident_compute(us);
		pthread_mutex_unlock(lock);
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
	pthread_mutex_lock(lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(lock);
}

static void disturb(void)
{
	sem_post(go[0]);
	incident_wait(held);
	for (int turn = 1; turn < 3; turn++) {
		sem_post(go[turn]);
		incident_sleep(3000);
	}
}

int main(void)
{
	lock = incident_mutex();
	held = incident_semaphore();
	for (int turn = 0; turn < 3; turn++)
		go[turn] = incident_semaphore();
	incident_process("first", first);
	incident_process("second", second);
	incident_process("third", third);
	return incident_run(request, disturb);
}
