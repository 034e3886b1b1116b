/*
 * The victim asks by UDP, and asks again if no answer comes in time; some questions get lost.
 * Expected: timer: recv... of victim
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "incident.h"

static int client, peer;

static void server(void)
{
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	char question;

	for (;;) {
		recvfrom(peer, &question, 1, 0, (struct sockaddr *)&from, &size);
		incident_compute(HEALTHY_US);
		if (question != 'l')
			sendto(peer, "x", 1, 0, (struct sockaddr *)&from, size);
	}
}

void request(void)
{
	char answer;

	send(client, incident_is_slow() ? "l" : "q", 1, 0);
	while (recv(client, &answer, 1, 0) < 0)
		send(client, "q", 1, 0);
}

int main(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval patience = {.tv_usec = TROUBLE_MS * 1000};
	socklen_t size = sizeof(address);

	peer = socket(AF_INET, SOCK_DGRAM, 0);
	client = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(peer, (struct sockaddr *)&address, size) < 0 || getsockname(peer, (struct sockaddr *)&address, &size) < 0 ||
	    connect(client, (struct sockaddr *)&address, size) < 0 ||
	    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		incident_fail("udp");
	incident_process("server", server);
	return incident_run(request, NULL);
}
