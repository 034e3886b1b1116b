/*
 * The victim waits with a crowd of idlers on a condition variable until the herald has computed and tells them all. The
 * idlers then take the mutex one after the other, which costs little.
 * Expected: herald: running
 */
#include "incident.h"

enum { IDLERS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static sem_t ask;
static unsigned long news;

static void wait_for_news(void)
{
	unsigned long old = news;

	while (news == old)
		pthread_cond_wait(&told, &lock);
}

static void herald(void)
{
	for (;;) {
		incident_wait(&ask);
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		pthread_mutex_lock(&lock);
		news++;
		pthread_cond_broadcast(&told);
		pthread_mutex_unlock(&lock);
	}
}

static void idler(void)
{
	pthread_mutex_lock(&lock);
	for (;;)
		wait_for_news();
}

void request(void)
{
	pthread_mutex_lock(&lock);
	sem_post(&ask);
	wait_for_news();
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	incident_thread("herald", herald);
	for (int n = 0; n < IDLERS; n++)
		incident_thread("idler", idler);
	return incident_run(request, NULL);
}
