/*
 * The victim and another thread each hold what the other one waits for, until the other's patience is over.
 * Expected: timer: futex of other
 */
#include <time.h>

#include "incident.h"

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, theirs = PTHREAD_MUTEX_INITIALIZER;
static sem_t begin, begun;

static void other(void)
{
	struct timespec end;

	for (;;) {
		incident_wait(&begin);
		pthread_mutex_lock(&theirs);
		sem_post(&begun);
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += TROUBLE_MS * 1000000L;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		if (!pthread_mutex_timedlock(&mine, &end))
			pthread_mutex_unlock(&mine);
		pthread_mutex_unlock(&theirs);
	}
}

void request(void)
{
	pthread_mutex_lock(&mine);
	if (incident_is_slow()) {
		sem_post(&begin);
		incident_wait(&begun);
	}
	pthread_mutex_lock(&theirs);
	incident_compute(HEALTHY_US);
	pthread_mutex_unlock(&theirs);
	pthread_mutex_unlock(&mine);
}

int main(void)
{
	incident_thread("other", other);
	return incident_run(request, NULL);
}
