/*
 * The victim hands its small job to a pool, whose workers are busy with a stranger's long jobs. Culprit: the worker
 * that the victim's job had to wait for; its code is the stranger's then, but the time is spent in the worker.
 * Expected: worker1: running or worker2: running
 */
#include "incident.h"

enum { WORKERS = 2, ROOM = 16 };

struct job {
	long us;
	sem_t *done; /* NULL: nobody waits */
};

static struct job queue[ROOM];
static unsigned int first, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void submit(long us, sem_t *done)
{
	pthread_mutex_lock(&lock);
	queue[last++ % ROOM] = (struct job){us, done};
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

static void worker(void)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (first == last)
			pthread_cond_wait(&filled, &lock);
		struct job job = queue[first++ % ROOM];
		pthread_mutex_unlock(&lock);
		incident_compute(job.us);
		if (job.done)
			sem_post(job.done);
	}
}

void request(void)
{
	sem_t done;

	sem_init(&done, 0, 0);
	submit(HEALTHY_US, &done);
	incident_wait(&done);
}

static void disturb(void)
{
	for (int n = 0; n < WORKERS; n++)
		submit(TROUBLE_MS * 1000, NULL);
}

int main(void)
{
	incident_thread("worker1", worker);
	incident_thread("worker2", worker);
	return incident_run(request, disturb);
}
