/*
 * The victim asks a server over a local socket; the server asks a backend and waits; the backend computes. Each is a
 * process of its own. With the argument "tcp" they talk over the loopback interface, where wake-ups come from soft
 * interrupts that the sender raised. Culprit: the backend, not the server that the victim sees.
 * Expected: backend: running
 */
#include <string.h>

#include "incident.h"

static int to_server[2], to_backend[2]; /* [0] asks, [1] answers */

static void server(void)
{
	long us;

	for (;;) {
		incident_read(to_server[1], &us, sizeof(us));
		incident_ask(to_backend[0], us);
		incident_write(to_server[1], &us, sizeof(us));
	}
}

static void backend(void)
{
	incident_serve(to_backend[1]);
}

void request(void)
{
	incident_ask(to_server[0], incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
}

int main(int argc, char **argv)
{
	void (*make_pair)(int[2]) = argc > 1 && !strcmp(argv[1], "tcp") ? incident_tcp_pair : incident_pair;

	make_pair(to_server);
	make_pair(to_backend);
	incident_process("server", server);
	incident_process("backend", backend);
	return incident_run(request, NULL);
}
