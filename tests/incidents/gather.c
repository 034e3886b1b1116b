/*
 * The victim asks three servers at once and reads their answers in the order in which it asked; the last is the slowest, and
 * the first one is slow, too. Without the first, nothing would have been sooner.
 * Expected: third: running
 */
#include "incident.h"

enum { SERVERS = 3 };

static int sockets[SERVERS][2], which;

static void server(void)
{
	incident_serve(sockets[which][1]);
}

void request(void)
{
	long us[SERVERS] = {HEALTHY_US / 2, HEALTHY_US / 4, HEALTHY_US / 2};

	if (incident_is_slow()) {
		us[0] = TROUBLE_MS * 1000 * 2 / 3;
		us[2] = TROUBLE_MS * 1000;
	}
	for (int n = 0; n < SERVERS; n++)
		incident_write(sockets[n][0], &us[n], sizeof(us[n]));
	for (int n = 0; n < SERVERS; n++)
		incident_read(sockets[n][0], &us[n], sizeof(us[n]));
}

int main(void)
{
	static const char *const names[SERVERS] = {"first", "second", "third"};

	for (which = 0; which < SERVERS; which++) {
		incident_pair(sockets[which]);
		incident_process(names[which], server);
	}
	return incident_run(request, NULL);
}
