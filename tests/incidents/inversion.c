/*
 * Priority inversion: the holder of a mutex would be done in no time, but a hogger takes its CPU. The victim waits for the
 * holder; the holder is runnable; the hogger has the CPU.
 *	inversion	the hogger is a real-time thread
 *	inversion idle	the hogger is an ordinary one; the holder may run only where nobody else wants to (SCHED_IDLE)
 * Expected: hogger: on CPU N while holder was runnable
 */
#include <sched.h>
#include <string.h>

#include "incident.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold, held, hog;
static bool idle;

static void holder(void)
{
	struct sched_param param = {0};

	incident_pin(0);
	if (idle && sched_setscheduler(0, SCHED_IDLE, &param) < 0)
		incident_fail("sched_setscheduler");
	for (;;) {
		incident_wait(&hold);
		pthread_mutex_lock(&lock);
		sem_post(&held);
		incident_compute(8 * HEALTHY_US); /* the hogger comes in between */
		pthread_mutex_unlock(&lock);
	}
}

static void hogger(void)
{
	incident_pin(0);
	if (!idle)
		incident_real_time();
	for (;;) {
		incident_wait(&hog);
		incident_compute(TROUBLE_MS * 1000);
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
	sem_post(&hog);
}

int main(int argc, char **argv)
{
	idle = argc > 1 && !strcmp(argv[1], "idle");
	incident_pin(1);
	incident_thread("holder", holder);
	incident_thread("hogger", hogger);
	return incident_run(request, disturb);
}
