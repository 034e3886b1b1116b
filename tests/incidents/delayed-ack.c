/*
 * A request in two small parts over TCP: the second is held back until the first is acknowledged (Nagle), and the
 * server acknowledges late, for it has nothing to answer yet. Nobody computes: a timer of the kernel's lasts.
 * Expected: timer: packet to server
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

static int client, peer;

static void connect_them(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);

	client = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
	    connect(client, (struct sockaddr *)&address, size) < 0 || (peer = accept(listener, NULL, NULL)) < 0)
		incident_fail("tcp");
}

static void server(void)
{
	char question[2];

	for (;;) {
		incident_read(peer, question, sizeof(question));
		incident_compute(HEALTHY_US);
		incident_write(peer, question, 1);
	}
}

void request(void)
{
	char answer;

	if (incident_is_slow()) {
		incident_write(client, "a", 1);
		incident_write(client, "b", 1);
	} else {
		incident_write(client, "ab", 2);
	}
	incident_read(client, &answer, 1);
}

int main(void)
{
	connect_them();
	incident_process("server", server);
	return incident_run(request, NULL);
}
