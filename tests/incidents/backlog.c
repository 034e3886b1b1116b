/*
 * The victim connects to a doorman who computes instead of accepting, and others are in the queue already.
 * Expected: doorman: running
 */
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "incident.h"

enum { QUEUE = 2 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size;
static int door;
static sem_t *stall, *stalled;

static void doorman(void)
{
	for (;;) {
		if (sem_trywait(stall) == 0) {
			sem_post(stalled);
			incident_compute(TROUBLE_MS * 1000);
		}
		close(accept(door, NULL, NULL));
	}
}

static void knock(void)
{
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

	if (connect(client, (struct sockaddr *)&address, address_size) < 0)
		incident_fail("connect");
	close(client);
}

void request(void)
{
	incident_compute(HEALTHY_US);
	knock();
}

static void disturb(void)
{
	sem_post(stall);
	knock();
	incident_wait(stalled);
	for (int n = 0; n <= QUEUE; n++)
		knock();
}

int main(void)
{
	int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "tailblame-%d", getpid());

	address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	door = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(door, (struct sockaddr *)&address, address_size) < 0 || listen(door, QUEUE) < 0)
		incident_fail("listen");
	stall = incident_semaphore();
	stalled = incident_semaphore();
	incident_process("doorman", doorman);
	return incident_run(request, disturb);
}
