/*
 * The victim waits for a mutex, and a profiler of its process sends it a signal every 10 ms, to see where it is: each cuts
 * the wait in two.
 * Expected: holder: running
 */
#include <signal.h>

#include "incident.h"

enum { SAMPLE_US = 10000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold, held;
static pthread_t victim;
static volatile sig_atomic_t samples;

static void take_sample(int signal)
{
	(void)signal;
	samples = samples + 1;
}

static void profiler(void)
{
	for (;;) {
		incident_sleep(SAMPLE_US);
		pthread_kill(victim, SIGUSR1);
	}
}

static void holder(void)
{
	for (;;) {
		incident_wait(&hold);
		pthread_mutex_lock(&mutex);
		sem_post(&held);
		incident_compute(TROUBLE_MS * 1000);
		pthread_mutex_unlock(&mutex);
	}
}

void request(void)
{
	pthread_mutex_lock(&mutex);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(&mutex);
}

static void disturb(void)
{
	sem_post(&hold);
	incident_wait(&held);
}

int main(void)
{
	struct sigaction action = {.sa_handler = take_sample, .sa_flags = SA_RESTART};

	sem_init(&hold, 0, 0);
	sem_init(&held, 0, 0);
	victim = pthread_self();
	if (sigaction(SIGUSR1, &action, NULL) < 0)
		incident_fail("sigaction");
	incident_thread("profiler", profiler);
	incident_thread("holder", holder);
	return incident_run(request, disturb);
}
