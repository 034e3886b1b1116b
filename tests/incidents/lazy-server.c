/*
 * The victim asks a server, which does nothing for a while (a retry with back-off, say): the time is the timer's, on
 * the server's account.
 * Expected: timer: nanosleep of server
 */
#include <sys/socket.h>

#include "incident.h"

static int to_server[2];

static void server(void)
{
	long ms;

	for (;;) {
		incident_read(to_server[1], &ms, sizeof(ms));
		incident_compute(HEALTHY_US);
		if (ms)
			incident_sleep(ms * 1000);
		incident_write(to_server[1], &ms, sizeof(ms));
	}
}

void request(void)
{
	long ms = incident_is_slow() ? TROUBLE_MS : 0;

	incident_write(to_server[0], &ms, sizeof(ms));
	incident_read(to_server[0], &ms, sizeof(ms));
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, to_server) < 0)
		incident_fail("socketpair");
	incident_process("server", server);
	return incident_run(request, NULL);
}
