/*
 * A request in two small parts over TCP: the second is held back until the first is acknowledged (Nagle), and the
 * server acknowledges late, for it has nothing to answer yet. Nobody computes: a timer of the kernel's lasts.
 * Expected: timer: delayed acknowledgement to server
 */
#include "incident.h"

static int to_server[2];

static void server(void)
{
	char question[2];

	for (;;) {
		incident_read(to_server[1], question, sizeof(question));
		incident_compute(HEALTHY_US);
		incident_write(to_server[1], question, 1);
	}
}

void request(void)
{
	char answer;

	if (incident_is_slow()) {
		incident_write(to_server[0], "a", 1);
		incident_write(to_server[0], "b", 1);
	} else {
		incident_write(to_server[0], "ab", 2);
	}
	incident_read(to_server[0], &answer, 1);
}

int main(void)
{
	incident_tcp_pair(to_server);
	incident_process("server", server);
	return incident_run(request, NULL);
}
