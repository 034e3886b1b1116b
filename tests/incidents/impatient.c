/*
 * The victim asks a server and waits for at most 20 ms at a time (SO_RCVTIMEO); where the time is over it waits again.
 * Expected: server: running
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "incident.h"

enum { PATIENCE_US = 20000 };

static int ends[2]; /* the victim's, the server's */

static void server(void)
{
	char job;

	for (;;) {
		incident_read(ends[1], &job, 1);
		incident_compute(job == 'l' ? TROUBLE_MS * 1000 : HEALTHY_US);
		incident_write(ends[1], &job, 1);
	}
}

void request(void)
{
	char job = incident_is_slow() ? 'l' : 's';

	incident_write(ends[0], &job, 1);
	while (recv(ends[0], &job, 1, 0) < 0)
		if (errno != EAGAIN && errno != EINTR)
			incident_fail("recv");
}

int main(void)
{
	struct timeval patience = {0, PATIENCE_US};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ||
	    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		incident_fail("socketpair");
	incident_process("server", server);
	return incident_run(request, NULL);
}
