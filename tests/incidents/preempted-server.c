/*
 * The server that the victim asks would be quick, but a real-time thread takes its CPU.
 * Expected: hogger: on CPU N while server was runnable
 */

#include "incident.h"

static int to_server[2];
static sem_t *hog;

static void server(void)
{
	char message;

	incident_pin(0);
	for (;;) {
		incident_read(to_server[1], &message, 1);
		incident_compute(4 * HEALTHY_US);
		incident_write(to_server[1], &message, 1);
	}
}

static void hogger(void)
{
	incident_pin(0);
	incident_real_time();
	for (;;) {
		incident_wait(hog);
		incident_sleep(HEALTHY_US); /* the request is on its way meanwhile */
		incident_compute(TROUBLE_MS * 1000);
	}
}

void request(void)
{
	char message = 0;

	incident_write(to_server[0], &message, 1);
	incident_read(to_server[0], &message, 1);
}

static void disturb(void)
{
	sem_post(hog);
}

int main(void)
{
	incident_pair(to_server);
	incident_pin(1);
	hog = incident_semaphore();
	incident_process("server", server);
	incident_process("hogger", hogger);
	return incident_run(request, disturb);
}
