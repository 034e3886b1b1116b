/*
 * The victim reads from a timer (timerfd) that is set late now and then.
 * Expected: timer: read of victim
 */
#include <stdint.h>
#include <sys/timerfd.h>

#include "incident.h"

static int timer;

void request(void)
{
	long us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	struct itimerspec once = {.it_value = {us / 1000000, us % 1000000 * 1000}};
	uint64_t expired;

	timerfd_settime(timer, 0, &once, NULL);
	incident_read(timer, &expired, sizeof(expired));
}

int main(void)
{
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	if (timer < 0)
		incident_fail("timerfd_create");
	return incident_run(request, NULL);
}
