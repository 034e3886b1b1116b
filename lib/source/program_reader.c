#include "source/program_reader.h"

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
#include "source/musl.h"

enum { PATIENCE = 100000000 };
static const int64_t rest = NSEC_PER_SEC, chores = NSEC_PER_SEC / 10;

struct program_reader {
	const struct trace_clock *clock;
	pthread_t thread;
	pthread_mutex_t asking; /* one asker at a time */
	pthread_mutex_t lock;	/* of all below */
	pthread_cond_t asked, told;
	int32_t pid; /* to be read; 0: none */
	bool late;   /* nobody waits for the answer any more */
	bool busy;   /* with the chore */
	void (*chore)(void *context); /* NULL: there is none */
	void *chore_context;
	int64_t chore_at; /* by CLOCK_MONOTONIC */
	bool ending;
	int64_t again; /* after a late answer: asked no earlier than this, by CLOCK_MONOTONIC */
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

/* Waits until somebody asks, or it is time for the chore, and does that. The caller holds the lock, which is released for the chore. */
static void rest_or_work(struct program_reader *reader)
{
	struct timespec until = {.tv_sec = reader->chore_at / NSEC_PER_SEC, .tv_nsec = reader->chore_at % NSEC_PER_SEC};

	if (!reader->chore) {
		pthread_cond_wait(&reader->asked, &reader->lock);
		return;
	}
	if (pthread_cond_timedwait(&reader->asked, &reader->lock, &until) != ETIMEDOUT)
		return;
	reader->busy = true;
	pthread_mutex_unlock(&reader->lock);
	reader->chore(reader->chore_context);
	pthread_mutex_lock(&reader->lock);
	reader->busy = false;
	pthread_cond_signal(&reader->told);
	reader->chore_at = nanoseconds(after(now(), chores));
}

static void *serve(void *context)
{
	struct program_reader *reader = context;
	struct program program;
	int32_t pid;

	reader->tid = gettid();
	pthread_mutex_lock(&reader->lock);
	while (!reader->ending) {
		if (!reader->pid) {
			rest_or_work(reader);
			continue;
		}
		pid = reader->pid;
		pthread_mutex_unlock(&reader->lock);
		program_read(&program, pid);
		program.musl = musl_is_mapped(pid);
		pthread_mutex_lock(&reader->lock);
		reader->answer = program;
		reader->pid = 0;
		if (reader->late)
			reader->again = nanoseconds(now()) + rest;
		reader->late = false;
		pthread_cond_signal(&reader->told);
	}
	pthread_mutex_unlock(&reader->lock);
	return NULL;
}

struct program_reader *program_reader_start(const struct trace_clock *clock)
{
	struct program_reader *reader = NEW(struct program_reader);
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int error;

	reader->clock = clock;
	pthread_mutex_init(&reader->asking, NULL);
	pthread_mutex_init(&reader->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&reader->asked, &monotonic);
	pthread_cond_init(&reader->told, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the collector's own thread */
	error = pthread_create(&reader->thread, NULL, serve, reader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		return reader;
	free(reader);
	fail("cannot start a thread: %s", strerror(error));
	return NULL;
}

/* Asks, and waits for the answer. False: it does not come in time, or is not asked for. The caller holds the lock. */
static bool await(struct program_reader *reader, int32_t pid)
{
	struct timespec begin = now(), until = after(begin, PATIENCE);

	if (reader->pid || nanoseconds(begin) < reader->again)
		return false;
	reader->pid = pid;
	pthread_cond_signal(&reader->asked);
	while (reader->pid)
		if (pthread_cond_timedwait(&reader->told, &reader->lock, &until) == ETIMEDOUT && reader->pid) {
			reader->late = true;
			return false;
		}
	return true;
}

static bool read_in_time(struct program_reader *reader, struct program *program, int32_t pid)
{
	bool told;

	pthread_mutex_lock(&reader->asking);
	pthread_mutex_lock(&reader->lock);
	told = await(reader, pid);
	if (told)
		*program = reader->answer;
	pthread_mutex_unlock(&reader->lock);
	pthread_mutex_unlock(&reader->asking);
	return told;
}

static bool is_there(int32_t tid, int32_t pid)
{
	return syscall(SYS_tgkill, pid, tid, 0) == 0;
}

bool program_reader_read(struct program_reader *reader, struct program *program, int64_t *read, int32_t tid, int32_t pid)
{
	if (!is_there(tid, pid) || !read_in_time(reader, program, pid))
		return false;
	*read = clock_now(reader->clock);
	/* if the thread is still there, no other thread of its process has begun another program, which would have ended it */
	return *read != INT64_MIN && is_there(tid, pid) && (*program->words || *program->group);
}

void program_reader_often(struct program_reader *reader, void (*chore)(void *context), void *context)
{
	pthread_mutex_lock(&reader->lock);
	reader->chore = chore;
	reader->chore_context = context;
	reader->chore_at = nanoseconds(after(now(), chores));
	pthread_cond_signal(&reader->asked);
	pthread_mutex_unlock(&reader->lock);
}

int32_t program_reader_tid(const struct program_reader *reader)
{
	return reader->tid;
}

bool program_reader_end(struct program_reader *reader)
{
	struct timespec until = after(now(), PATIENCE);
	bool busy;

	if (!reader)
		return true;
	pthread_mutex_lock(&reader->lock);
	reader->ending = true;
	pthread_cond_signal(&reader->asked);
	while (reader->busy && pthread_cond_timedwait(&reader->told, &reader->lock, &until) != ETIMEDOUT) {
	}
	busy = reader->pid != 0 || reader->busy;
	pthread_mutex_unlock(&reader->lock);
	if (busy) {
		pthread_detach(reader->thread);
		return false;
	}
	pthread_join(reader->thread, NULL);
	pthread_mutex_destroy(&reader->asking);
	pthread_mutex_destroy(&reader->lock);
	pthread_cond_destroy(&reader->asked);
	pthread_cond_destroy(&reader->told);
	free(reader);
	return true;
}
