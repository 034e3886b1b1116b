/*
 * Four threads work in step; at the barrier all wait for the straggler.
 * Expected: straggler: running
 */
#include "incident.h"

static pthread_barrier_t begin, end;

static void step(long us)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		incident_compute(incident_is_slow() && us ? us : HEALTHY_US / 4);
		pthread_barrier_wait(&end);
	}
}

static void walker(void)
{
	step(0);
}

static void straggler(void)
{
	step(TROUBLE_MS * 1000);
}

void request(void)
{
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
}

int main(void)
{
	pthread_barrier_init(&begin, NULL, 4);
	pthread_barrier_init(&end, NULL, 4);
	incident_thread("walker1", walker);
	incident_thread("straggler", straggler);
	incident_thread("walker2", walker);
	return incident_run(request, NULL);
}
