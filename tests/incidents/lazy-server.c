/*
 * The victim asks a server, which does nothing for a while (a retry with back-off, say): the time is the timer's, on
 * the server's account.
 * Expected: timer: nanosleep of server
 */

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
	incident_pair(to_server);
	incident_process("server", server);
	return incident_run(request, NULL);
}
