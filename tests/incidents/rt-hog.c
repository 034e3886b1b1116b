/*
 * A real-time thread takes the victim's CPU in the middle of a request and keeps it. The victim is runnable all the
 * while and waits for nobody but the hogger.
 * Expected: hogger: on CPU N while victim was runnable
 */
#include "incident.h"

static sem_t hog;

static void hogger(void)
{
	incident_pin(0);
	incident_real_time();
	for (;;) {
		incident_wait(&hog);
		incident_sleep(HEALTHY_US); /* the request begins meanwhile */
		incident_compute(TROUBLE_MS * 1000);
	}
}

void request(void)
{
	incident_compute(4 * HEALTHY_US);
}

static void disturb(void)
{
	sem_post(&hog);
}

int main(void)
{
	incident_pin(0);
	incident_thread("hogger", hogger);
	return incident_run(request, disturb);
}
