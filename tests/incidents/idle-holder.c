/*
 * The holder of a mutex may run only where nobody else wants to (SCHED_IDLE), and a hogger wants its CPU.
 * Expected: hogger: on CPU N while holder was runnable
 */
#include <sched.h>

#include "incident.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t hold, held, hog;

static void holder(void)
{
	struct sched_param param = {0};

	incident_pin(0);
	if (sched_setscheduler(0, SCHED_IDLE, &param) < 0)
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

int main(void)
{
	incident_pin(1);
	incident_thread("holder", holder);
	incident_thread("hogger", hogger);
	return incident_run(request, disturb);
}
