/*
 * A reader holds a read-write lock while it computes; a writer queues for it; the victim, which only wants to read, has
 * to queue behind the writer (the lock prefers writers). Culprit: the reader at the front.
 * Expected: librarian: running
 */
#include "incident.h"

static pthread_rwlock_t lock;
static sem_t read_now, write_now, reading;

static void librarian(void)
{
	for (;;) {
		incident_wait(&read_now);
		pthread_rwlock_rdlock(&lock);
		sem_post(&reading);
		incident_compute(TROUBLE_MS * 1000);
		pthread_rwlock_unlock(&lock);
	}
}

static void writer(void)
{
	for (;;) {
		incident_wait(&write_now);
		pthread_rwlock_wrlock(&lock);
		incident_compute(HEALTHY_US);
		pthread_rwlock_unlock(&lock);
	}
}

void request(void)
{
	pthread_rwlock_rdlock(&lock);
	incident_compute(HEALTHY_US);
	pthread_rwlock_unlock(&lock);
}

static void disturb(void)
{
	sem_post(&read_now);
	incident_wait(&reading);
	sem_post(&write_now);
	incident_sleep(5000); /* until the writer waits for the lock */
}

int main(void)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&lock, &attributes);
	incident_thread("librarian", librarian);
	incident_thread("writer", writer);
	return incident_run(request, disturb);
}
