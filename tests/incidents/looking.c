/*
 * The victim waits on a condition variable for at most 20 ms at a time, and looks after each whether its client is still there, as MariaDB
 * does while a query waits for a table.
 * Expected: worker: running
 */
#include <poll.h>
#include <time.h>

#include "incident.h"

enum { PATIENCE_NS = 20000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some_done = PTHREAD_COND_INITIALIZER;
static sem_t job;
static bool done;
static long job_us;
static int client[2];

static void worker(void)
{
	for (;;) {
		incident_wait(&job);
		incident_compute(job_us);
		pthread_mutex_lock(&lock);
		done = true;
		pthread_cond_signal(&some_done);
		pthread_mutex_unlock(&lock);
	}
}

static void wait_a_while(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&some_done, &lock, &until);
}

void request(void)
{
	struct pollfd gone = {.fd = client[0], .events = POLLIN};

	pthread_mutex_lock(&lock);
	done = false;
	job_us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	sem_post(&job);
	while (!done) {
		wait_a_while();
		poll(&gone, 1, 0);
	}
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	incident_pair(client);
	incident_thread("worker", worker);
	return incident_run(request, NULL);
}
