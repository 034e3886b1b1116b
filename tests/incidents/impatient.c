/*
 * The victim asks a server and waits for at most 20 ms at a time (SO_RCVTIMEO); where the time is over it waits again.
 * Expected: server: running
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "incident.h"

enum { PATIENCE_US = 20000 };

static int to_server[2];

static void server(void)
{
	incident_serve(to_server[1]);
}

void request(void)
{
	long us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;

	incident_write(to_server[0], &us, sizeof(us));
	while (recv(to_server[0], &us, sizeof(us), 0) < 0)
		if (errno != EAGAIN && errno != EINTR)
			incident_fail("recv");
}

int main(void)
{
	struct timeval patience = {0, PATIENCE_US};

	incident_pair(to_server);
	if (setsockopt(to_server[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		incident_fail("setsockopt");
	incident_process("server", server);
	return incident_run(request, NULL);
}
