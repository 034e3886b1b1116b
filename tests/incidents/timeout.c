/*
 * The victim polls for an answer that never comes, and gives up when its time is over: a timer ends its wait.
 * Expected: timer: ... of victim
 */
#include <poll.h>

#include "incident.h"

static int silent[2];

void request(void)
{
	struct pollfd answer = {.fd = silent[0], .events = POLLIN};

	incident_compute(HEALTHY_US);
	if (incident_is_slow())
		poll(&answer, 1, TROUBLE_MS);
}

int main(void)
{
	incident_pair(silent);
	return incident_run(request, NULL);
}
