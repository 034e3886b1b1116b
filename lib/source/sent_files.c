#include "source/sent_files.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Since Linux 6.16. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

/* glibc has no name for it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static bool refused; /* the kernel can refuse files */

/* A timer whose signal ends a wait of this thread. */
struct limit {
	timer_t timer;
	bool set;
	sigset_t blocked; /* signals blocked before */
};

static void pass_over(int number)
{
	(void)number;
}

static void begin(struct limit *limit)
{
	const struct itimerspec often = {.it_interval.tv_nsec = SENT_FILES_MS * 1000000L, .it_value.tv_nsec = SENT_FILES_MS * 1000000L};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	sigset_t ours;

	limit->set = false;
	event.sigev_notify_thread_id = gettid();
	if (refused || timer_create(CLOCK_MONOTONIC, &event, &limit->timer) < 0)
		return;
	limit->set = true;
	sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = pass_over, .sa_flags = SA_RESTART}, NULL);
	sigemptyset(&ours);
	sigaddset(&ours, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &ours, &limit->blocked);
	timer_settime(limit->timer, 0, &often, NULL);
}

/* Leaves errno as it is. */
static void end(const struct limit *limit)
{
	int error = errno;

	if (limit->set) {
		timer_delete(limit->timer);
		pthread_sigmask(SIG_SETMASK, &limit->blocked, NULL);
	}
	errno = error;
}

void sent_files_refuse(int socket)
{
	int off = 0;

	refused = setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)) == 0;
}

ssize_t sent_files_receive(int socket, struct msghdr *message, int flags)
{
	struct limit limit;
	ssize_t size;

	begin(&limit);
	size = recvmsg(socket, message, flags);
	end(&limit);
	return size;
}

void sent_files_close(int socket)
{
	struct limit limit;

	begin(&limit);
	close(socket);
	end(&limit);
}
