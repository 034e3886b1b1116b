/*
 * The victim asks two servers, one after the other; both are slow at once, the second more so.
 * Expected: second: running
 */
#include <sys/socket.h>

#include "incident.h"

static int to_first[2], to_second[2];

static void serve(int fd)
{
	long us;

	for (;;) {
		incident_read(fd, &us, sizeof(us));
		incident_compute(us);
		incident_write(fd, &us, sizeof(us));
	}
}

static void first(void)
{
	serve(to_first[1]);
}

static void second(void)
{
	serve(to_second[1]);
}

static void ask(int fd, long us)
{
	incident_write(fd, &us, sizeof(us));
	incident_read(fd, &us, sizeof(us));
}

void request(void)
{
	bool slow = incident_is_slow();

	ask(to_first[0], slow ? TROUBLE_MS * 1000 / 4 : HEALTHY_US / 2);
	ask(to_second[0], slow ? TROUBLE_MS * 1000 * 3 / 4 : HEALTHY_US / 2);
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, to_first) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, to_second) < 0)
		incident_fail("socketpair");
	incident_process("first", first);
	incident_process("second", second);
	return incident_run(request, NULL);
}
