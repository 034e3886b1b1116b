/*
 * The victim waits on a condition variable that nobody signals, with a time limit.
 * Expected: timer: futex of victim
 */
#include <time.h>

#include "incident.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

void request(void)
{
	long us = incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += us * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&never, &lock, &until) == 0)
		;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	return incident_run(request, NULL);
}
