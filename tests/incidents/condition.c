/*
 * All jobs of a program that are done are told by one condition variable. A neighbour's jobs are short, and so the victim is
 * woken again and again, while a worker is busy with its job.
 * Expected: worker: running
 */
#include <stdatomic.h>

#include "incident.h"

enum { NEIGHBOUR_US = 4000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_done = PTHREAD_COND_INITIALIZER;
static sem_t job;
static bool done;
static atomic_long job_us;

static void worker(void)
{
	for (;;) {
		incident_wait(&job);
		incident_compute(job_us);
		pthread_mutex_lock(&lock);
		done = true;
		pthread_cond_broadcast(&some_done);
		pthread_mutex_unlock(&lock);
	}
}

static void neighbour(void)
{
	for (;;) {
		incident_sleep(NEIGHBOUR_US);
		incident_compute(HEALTHY_US);
		pthread_mutex_lock(&lock);
		pthread_cond_broadcast(&some_done);
		pthread_mutex_unlock(&lock);
	}
}

void request(void)
{
	pthread_mutex_lock(&lock);
	done = false;
	job_us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	sem_post(&job);
	while (!done)
		pthread_cond_wait(&some_done, &lock);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	incident_thread("worker", worker);
	incident_thread("neighbour", neighbour);
	return incident_run(request, NULL);
}
