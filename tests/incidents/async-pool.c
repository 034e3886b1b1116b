/*
 * A server hands jobs to a pool. One for the victim asks a backend and is over; the answer goes by a poller to whichever
 * thread of the pool is idle, and that tells the victim. Meanwhile the pool does quick jobs for another client.
 * Expected: backend: running
 */
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "incident.h"

enum { ROOM = 16, JOB_US = 30, PAUSE_US = 3000 };

struct job {
	long us; /* for the backend */
	int client;
	bool done;
};

static struct job jobs[ROOM];
static size_t jobs_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int to_server[2], from_other[2], to_backend[2];

static void put(struct job job)
{
	pthread_mutex_lock(&lock);
	jobs[jobs_count++] = job; /* two clients with a job each: there is room */
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static struct job take(void)
{
	struct job job;

	pthread_mutex_lock(&lock);
	while (!jobs_count)
		pthread_cond_wait(&more, &lock);
	job = jobs[0];
	memmove(jobs, jobs + 1, --jobs_count * sizeof(job));
	pthread_mutex_unlock(&lock);
	return job;
}

static void worker(void)
{
	for (;;) {
		struct job job = take();

		incident_compute(JOB_US);
		if (job.us && !job.done)
			incident_write(to_backend[0], &job, sizeof(job));
		else
			incident_write(job.client, &job.us, sizeof(job.us));
	}
}

static int watch(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		incident_fail("epoll_ctl");
	return epoll;
}

static int next(int epoll)
{
	struct epoll_event event;

	while (epoll_wait(epoll, &event, 1, -1) < 1)
		;
	return event.data.fd;
}

static void dispatcher(void)
{
	int clients = watch(watch(epoll_create1(0), to_server[1]), from_other[1]);

	for (;;) {
		struct job job = {.client = next(clients)};

		incident_read(job.client, &job.us, sizeof(job.us));
		put(job);
	}
}

static void poller(void)
{
	int answers = watch(epoll_create1(0), to_backend[0]);

	for (;;) {
		struct job job;

		incident_read(next(answers), &job, sizeof(job));
		put(job);
	}
}

static void server(void)
{
	incident_thread("dispatcher", dispatcher);
	incident_thread("poller", poller);
	incident_thread("worker1", worker);
	incident_thread("worker2", worker);
	for (;;)
		pause();
}

static void backend(void)
{
	for (;;) {
		struct job job;

		incident_read(to_backend[1], &job, sizeof(job));
		incident_compute(job.us);
		job.done = true;
		incident_write(to_backend[1], &job, sizeof(job));
	}
}

static void other(void)
{
	for (;;) {
		incident_ask(from_other[0], 0);
		incident_sleep(PAUSE_US);
	}
}

void request(void)
{
	incident_ask(to_server[0], incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
}

int main(void)
{
	incident_pair(to_server);
	incident_pair(from_other);
	incident_pair(to_backend);
	incident_process("server", server);
	incident_process("backend", backend);
	incident_process("other", other);
	return incident_run(request, NULL);
}
