/*
 * The victim needs a mutex many times; a greedy thread takes it each time in between, and each time for a while.
 * Expected: greedy: running
 */
#include <stdatomic.h>

#include "incident.h"

enum { TURNS = 60, TURN_US = 2500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;
static atomic_bool over;

static void greedy(void)
{
	for (;;) {
		incident_wait(&go);
		while (!over) {
			pthread_mutex_lock(&lock);
			incident_compute(TURN_US);
			pthread_mutex_unlock(&lock);
			incident_sleep(20); /* so that the victim gets it for once */
		}
	}
}

void request(void)
{
	for (int n = 0; n < TURNS; n++) {
		pthread_mutex_lock(&lock);
		incident_compute(5);
		pthread_mutex_unlock(&lock);
		if (incident_is_slow())
			incident_compute(30);
	}
	over = true;
}

static void disturb(void)
{
	over = false;
	sem_post(&go);
	incident_sleep(500);
}

int main(void)
{
	incident_thread("greedy", greedy);
	return incident_run(request, disturb);
}
