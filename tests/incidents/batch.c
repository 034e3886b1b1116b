/*
 * An event loop serves two clients in turn, answering both at the end of a round; what bulky asks for takes long.
 * Expected: server: running
 */
#include <poll.h>

#include "incident.h"

enum { VICTIM, BULKY, CLIENTS };

static int sockets[CLIENTS][2];
static sem_t *ask;

static void server(void)
{
	struct pollfd polled[CLIENTS];

	for (int i = 0; i < CLIENTS; i++)
		polled[i] = (struct pollfd){.fd = sockets[i][1], .events = POLLIN};
	while (poll(polled, CLIENTS, -1) > 0) {
		long us[CLIENTS];

		for (int i = CLIENTS - 1; i >= 0; i--)
			if (polled[i].revents) {
				incident_read(polled[i].fd, &us[i], sizeof(us[i]));
				incident_compute(us[i]);
			}
		for (int i = CLIENTS - 1; i >= 0; i--)
			if (polled[i].revents)
				incident_write(polled[i].fd, &us[i], sizeof(us[i]));
	}
}

static void bulky(void)
{
	for (;;) {
		incident_wait(ask);
		incident_ask(sockets[BULKY][0], TROUBLE_MS * 1000);
	}
}

void request(void)
{
	incident_ask(sockets[VICTIM][0], HEALTHY_US);
}

static void disturb(void)
{
	sem_post(ask);
	incident_sleep(2000); /* until bulky has asked */
}

int main(void)
{
	for (int i = 0; i < CLIENTS; i++)
		incident_pair(sockets[i]);
	ask = incident_semaphore();
	incident_process("server", server);
	incident_process("bulky", bulky);
	return incident_run(request, disturb);
}
