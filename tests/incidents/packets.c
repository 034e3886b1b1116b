/*
 * The victim shares its CPU with a greedy flooder who sends packets to this very machine: much of the work is done in soft
 * interrupts.
 * Expected: flooder: on CPU N while victim was runnable
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "incident.h"

static sem_t *flood;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void flooder(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int receiver = socket(AF_INET, SOCK_DGRAM, 0), sender = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t size = sizeof(to);
	char packet[1024] = "";

	if (bind(receiver, (struct sockaddr *)&to, size) < 0 || getsockname(receiver, (struct sockaddr *)&to, &size) < 0)
		incident_fail("bind");
	incident_pin(0);
	nice(-15);
	for (;;) {
		incident_wait(flood);
		for (long end = now_ms() + 2 * TROUBLE_MS; now_ms() < end;)
			sendto(sender, packet, sizeof(packet), 0, (struct sockaddr *)&to, size);
	}
}

void request(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 / 4 : HEALTHY_US);
}

static void disturb(void)
{
	sem_post(flood);
}

int main(void)
{
	flood = incident_semaphore();
	incident_process("flooder", flooder);
	incident_pin(0);
	return incident_run(request, disturb);
}
