/*
 * The victim hands its small job to a pool, whose workers are busy with a stranger's jobs: one computes, one waits for
 * the other's result. Culprit: the worker that computes; its code is the stranger's then, but the time is the worker's.
 * Expected: worker1: running or worker2: running
 */
#include "incident.h"

enum { ROOM = 16 };

struct job {
	void (*run)(long us);
	long us;
	sem_t *done; /* NULL: nobody waits */
};

static struct job queue[ROOM];
static unsigned int first, last;
static sem_t computed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void compute_for_other(long us)
{
	incident_compute(us);
	sem_post(&computed);
}

static void wait_for_other(long us)
{
	(void)us;
	incident_wait(&computed);
}

static void submit(void (*run)(long us), long us, sem_t *done)
{
	pthread_mutex_lock(&lock);
	queue[last++ % ROOM] = (struct job){run, us, done};
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
		job.run(job.us);
		if (job.done)
			sem_post(job.done);
	}
}

void request(void)
{
	sem_t done;

	sem_init(&done, 0, 0);
	submit(incident_compute, HEALTHY_US, &done);
	incident_wait(&done);
}

static void disturb(void)
{
	submit(wait_for_other, 0, NULL);
	submit(compute_for_other, TROUBLE_MS * 1000, NULL);
}

int main(void)
{
	incident_thread("worker1", worker);
	incident_thread("worker2", worker);
	return incident_run(request, disturb);
}
