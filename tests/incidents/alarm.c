/*
 * The victim waits for a signal of its own interval timer.
 * Expected: timer: ... of victim
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "incident.h"

static void ring(int number)
{
	(void)number;
}

void request(void)
{
	struct itimerval in = {.it_value.tv_usec = incident_is_slow() ? TROUBLE_MS * 1000 : 500};

	setitimer(ITIMER_REAL, &in, NULL);
	pause();
}

int main(void)
{
	signal(SIGALRM, ring);
	return incident_run(request, NULL);
}
