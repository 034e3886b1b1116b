/*
 * The holder of a mutex sleeps with it in its hand.
 * Expected: timer: nanosleep of holder
 */
#include "incident.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold, held;

static void holder(void)
{
	for (;;) {
		incident_wait(&hold);
		pthread_mutex_lock(&lock);
		sem_post(&held);
		incident_sleep(TROUBLE_MS * 1000);
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
	sem_post(&hold);
	incident_wait(&held);
}

int main(void)
{
	incident_thread("holder", holder);
	return incident_run(request, disturb);
}
