#include "source/asker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum { PATIENCE = 100000000 };
static const int64_t rest = NSEC_PER_SEC;

struct asker {
	const struct trace_clock *clock;
	pthread_t thread;
	pthread_mutex_t asking; /* who asks, one after the other */
	pthread_mutex_t lock;	/* all below */
	pthread_cond_t asked, told;
	int32_t pid; /* to be read; 0: none */
	bool late;   /* nobody waits for the answer any more */
	bool ending;
	int64_t again; /* when it was late: not to be asked before, by CLOCK_MONOTONIC */
	struct program answer;
	atomic_int tid;
};

static struct timespec now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now;
}

static int64_t nanoseconds(struct timespec time)
{
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

static void *serve(void *context)
{
	struct asker *asker = context;
	struct program program;
	int32_t pid;

	asker->tid = gettid();
	pthread_mutex_lock(&asker->lock);
	while (!asker->ending) {
		if (!asker->pid) {
			pthread_cond_wait(&asker->asked, &asker->lock);
			continue;
		}
		pid = asker->pid;
		pthread_mutex_unlock(&asker->lock);
		program_read(&program, pid);
		pthread_mutex_lock(&asker->lock);
		asker->answer = program;
		asker->pid = 0;
		if (asker->late)
			asker->again = nanoseconds(now()) + rest;
		asker->late = false;
		pthread_cond_signal(&asker->told);
	}
	pthread_mutex_unlock(&asker->lock);
	return NULL;
}

struct asker *asker_start(const struct trace_clock *clock)
{
	struct asker *asker = NEW(struct asker);
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int error;

	asker->clock = clock;
	pthread_mutex_init(&asker->asking, NULL);
	pthread_mutex_init(&asker->lock, NULL);
	pthread_cond_init(&asker->asked, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&asker->told, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the collector's own thread */
	error = pthread_create(&asker->thread, NULL, serve, asker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		return asker;
	free(asker);
	fail("cannot start a thread: %s", strerror(error));
	return NULL;
}

/* Under the lock. */
static bool await(struct asker *asker, int32_t pid)
{
	struct timespec until = now();

	if (asker->pid || nanoseconds(until) < asker->again)
		return false;
	until.tv_nsec += PATIENCE;
	until.tv_sec += until.tv_nsec / NSEC_PER_SEC;
	until.tv_nsec %= NSEC_PER_SEC;
	asker->pid = pid;
	pthread_cond_signal(&asker->asked);
	while (asker->pid)
		if (pthread_cond_timedwait(&asker->told, &asker->lock, &until) == ETIMEDOUT && asker->pid) {
			asker->late = true;
			return false;
		}
	return true;
}

static bool read_in_time(struct asker *asker, struct program *program, int32_t pid)
{
	bool told;

	pthread_mutex_lock(&asker->asking);
	pthread_mutex_lock(&asker->lock);
	told = await(asker, pid);
	if (told)
		*program = asker->answer;
	pthread_mutex_unlock(&asker->lock);
	pthread_mutex_unlock(&asker->asking);
	return told;
}

bool asker_ask(struct asker *asker, struct program *program, int64_t *read, int32_t tid, int32_t pid)
{
	if (!read_in_time(asker, program, pid))
		return false;
	*read = clock_now(asker->clock);
	/* a thread that is still there has not been ended by another of its process that began to run another program */
	return *read != INT64_MIN && syscall(SYS_tgkill, pid, tid, 0) == 0 && (*program->words || *program->group);
}

int32_t asker_tid(const struct asker *asker)
{
	return asker->tid;
}

void asker_end(struct asker *asker)
{
	bool busy;

	if (!asker)
		return;
	pthread_mutex_lock(&asker->lock);
	asker->ending = true;
	busy = asker->pid != 0;
	pthread_cond_signal(&asker->asked);
	pthread_mutex_unlock(&asker->lock);
	if (busy) {
		pthread_detach(asker->thread);
		return;
	}
	pthread_join(asker->thread, NULL);
	pthread_mutex_destroy(&asker->asking);
	pthread_mutex_destroy(&asker->lock);
	pthread_cond_destroy(&asker->asked);
	pthread_cond_destroy(&asker->told);
	free(asker);
}
