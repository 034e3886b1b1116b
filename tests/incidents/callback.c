/*
 * The victim waits for a timer's callback, for which the C library makes a thread each time.
 * Expected: callback: running
 */
#include <signal.h>
#include <time.h>

#include "incident.h"

static sem_t done;

static void callback(union sigval value)
{
	(void)value;
	incident_name("callback");
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
	sem_post(&done);
}

void request(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = callback};
	struct itimerspec soon = {.it_value.tv_nsec = HEALTHY_US * 1000};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
		incident_fail("timer_create");
	timer_settime(timer, 0, &soon, NULL);
	incident_wait(&done);
	timer_delete(timer);
}

int main(void)
{
	sem_init(&done, 0, 0);
	return incident_run(request, NULL);
}
