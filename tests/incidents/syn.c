/*
 * The victim connects (TCP) while the queue of those that wait to be accepted is full, so its packet is dropped; it comes
 * through when it is sent again, a second later, by a timer of the kernel.
 * Expected: timer: retransmission to victim
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

static struct sockaddr_in address = {.sin_family = AF_INET};
static int door;
static sem_t *stall, *stalled;

static void doorman(void)
{
	for (;;) {
		if (sem_trywait(stall) == 0) {
			sem_post(stalled);
			incident_sleep(TROUBLE_MS * 1000);
		}
		close(accept(door, NULL, NULL));
	}
}

static int knock(int flags)
{
	int client = socket(AF_INET, SOCK_STREAM | flags, 0);

	connect(client, (struct sockaddr *)&address, sizeof(address));
	return client;
}

void request(void)
{
	incident_compute(HEALTHY_US);
	close(knock(0));
}

static void disturb(void)
{
	sem_post(stall);
	close(knock(0));
	incident_wait(stalled);
	for (int n = 0; n < 6; n++)
		knock(SOCK_NONBLOCK);
}

int main(void)
{
	socklen_t size = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	door = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(door, (struct sockaddr *)&address, size) < 0 || getsockname(door, (struct sockaddr *)&address, &size) < 0 ||
	    listen(door, 2) < 0)
		incident_fail("listen");
	stall = incident_semaphore();
	stalled = incident_semaphore();
	incident_process("doorman", doorman);
	return incident_run(request, disturb);
}
