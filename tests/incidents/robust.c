/*
 * The holder of a mutex dies with it in its hand, after it has computed; the kernel hands it to the victim (a robust
 * mutex).
 * Expected: holder: running
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static pthread_mutex_t *lock;
static sem_t *held;

static void holder(void)
{
	if (pthread_mutex_lock(lock) == EOWNERDEAD)
		pthread_mutex_consistent(lock);
	sem_post(held);
	incident_compute(TROUBLE_MS * 1000);
}

void request(void)
{
	if (pthread_mutex_lock(lock) == EOWNERDEAD)
		pthread_mutex_consistent(lock);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(lock);
}

static void disturb(void)
{
	incident_process("holder", holder);
	incident_wait(held);
}

int main(void)
{
	pthread_mutexattr_t attributes;

	lock = incident_shared(sizeof(*lock));
	held = incident_semaphore();
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(lock, &attributes);
	return incident_run(request, disturb);
}
