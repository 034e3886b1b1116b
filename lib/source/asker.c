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
static const int64_t rest = NSEC_PER_SEC, chores = NSEC_PER_SEC / 10;

struct asker {
	const struct trace_clock *clock;
	pthread_t thread;
	pthread_mutex_t asking; /* who asks, one after the other */
	pthread_mutex_t lock;	/* all below */
	pthread_cond_t asked, told;
	int32_t pid; /* to be read; 0: none */
	bool late;   /* nobody waits for the answer any more */
	bool busy;   /* with the chore */
	void (*chore)(void *context); /* NULL: there is none */
	void *chore_context;
	int64_t chore_at; /* by CLOCK_MONOTONIC */
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

static struct timespec after(struct timespec time, int64_t duration)
{
	int64_t sum = nanoseconds(time) + duration;

	return (struct timespec){.tv_sec = sum / NSEC_PER_SEC, .tv_nsec = sum % NSEC_PER_SEC};
}

/* Until somebody asks, or it is time for the chore. Under the lock, but for the chore. */
static void rest_or_work(struct asker *asker)
{
	struct timespec until = {.tv_sec = asker->chore_at / NSEC_PER_SEC, .tv_nsec = asker->chore_at % NSEC_PER_SEC};

	if (!asker->chore) {
		pthread_cond_wait(&asker->asked, &asker->lock);
		return;
	}
	if (pthread_cond_timedwait(&asker->asked, &asker->lock, &until) != ETIMEDOUT)
		return;
	asker->busy = true;
	pthread_mutex_unlock(&asker->lock);
	asker->chore(asker->chore_context);
	pthread_mutex_lock(&asker->lock);
	asker->busy = false;
	pthread_cond_signal(&asker->told);
	asker->chore_at = nanoseconds(after(now(), chores));
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
			rest_or_work(asker);
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
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&asker->asked, &monotonic);
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
	struct timespec begin = now(), until = after(begin, PATIENCE);

	if (asker->pid || nanoseconds(begin) < asker->again)
		return false;
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

void asker_often(struct asker *asker, void (*chore)(void *context), void *context)
{
	pthread_mutex_lock(&asker->lock);
	asker->chore = chore;
	asker->chore_context = context;
	asker->chore_at = nanoseconds(after(now(), chores));
	pthread_cond_signal(&asker->asked);
	pthread_mutex_unlock(&asker->lock);
}

int32_t asker_tid(const struct asker *asker)
{
	return asker->tid;
}

bool asker_end(struct asker *asker)
{
	struct timespec until = after(now(), PATIENCE);
	bool busy;

	if (!asker)
		return true;
	pthread_mutex_lock(&asker->lock);
	asker->ending = true;
	pthread_cond_signal(&asker->asked);
	while (asker->busy && pthread_cond_timedwait(&asker->told, &asker->lock, &until) != ETIMEDOUT) {
	}
	busy = asker->pid != 0 || asker->busy;
	pthread_mutex_unlock(&asker->lock);
	if (busy) {
		pthread_detach(asker->thread);
		return false;
	}
	pthread_join(asker->thread, NULL);
	pthread_mutex_destroy(&asker->asking);
	pthread_mutex_destroy(&asker->lock);
	pthread_cond_destroy(&asker->asked);
	pthread_cond_destroy(&asker->told);
	free(asker);
	return true;
}
