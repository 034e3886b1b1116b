/*
 * An event loop serves two clients in turn, answering both at the end of a round; what bulky asks for takes long.
 * Expected: server: running
 */
#include <poll.h>
#include <sys/socket.h>

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

static void exchange(int client, long us)
{
	incident_write(sockets[client][0], &us, sizeof(us));
	incident_read(sockets[client][0], &us, sizeof(us));
}

static void bulky(void)
{
	for (;;) {
		incident_wait(ask);
		exchange(BULKY, TROUBLE_MS * 1000);
	}
}

void request(void)
{
	exchange(VICTIM, HEALTHY_US);
}

static void disturb(void)
{
	sem_post(ask);
	incident_sleep(2000); /* until bulky has asked */
}

int main(void)
{
	for (int i = 0; i < CLIENTS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]) < 0)
			incident_fail("socketpair");
	ask = incident_semaphore();
	incident_process("server", server);
	incident_process("bulky", bulky);
	return incident_run(request, disturb);
}
