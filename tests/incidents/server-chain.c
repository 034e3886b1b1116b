/*
 * The victim asks a server over a local socket; the server asks a backend and waits; the backend computes. Each is a
 * process of its own. With the argument "tcp" they talk over the loopback interface, where wake-ups come from soft
 * interrupts that the sender raised. Culprit: the backend, not the server that the victim sees.
 * Expected: backend: running
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incident.h"

static int to_server[2], to_backend[2]; /* [0] asks, [1] answers */

static void local_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		incident_fail("socketpair");
}

static void tcp_pair(int pair[2])
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0 ||
	    connect(pair[0], (struct sockaddr *)&address, size) < 0)
		incident_fail("loopback connection");
	pair[1] = accept(listener, NULL, NULL);
	if (pair[1] < 0)
		incident_fail("accept");
	close(listener);
	for (int end = 0; end < 2; end++)
		setsockopt(pair[end], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

static void ask(int fd, long *us)
{
	incident_write(fd, us, sizeof(*us));
	incident_read(fd, us, sizeof(*us));
}

static void server(void)
{
	long us;

	for (;;) {
		incident_read(to_server[1], &us, sizeof(us));
		ask(to_backend[0], &us);
		incident_write(to_server[1], &us, sizeof(us));
	}
}

static void backend(void)
{
	long us;

	for (;;) {
		incident_read(to_backend[1], &us, sizeof(us));
		incident_compute(us);
		incident_write(to_backend[1], &us, sizeof(us));
	}
}

void request(void)
{
	long us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;

	ask(to_server[0], &us);
}

int main(int argc, char **argv)
{
	void (*make_pair)(int[2]) = argc > 1 && !strcmp(argv[1], "tcp") ? tcp_pair : local_pair;

	make_pair(to_server);
	make_pair(to_backend);
	incident_process("server", server);
	incident_process("backend", backend);
	return incident_run(request, NULL);
}
