#include "source/stop.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/interrupt.h"

static volatile sig_atomic_t asked;
static int bell = -1;

static void ring_bell(int number)
{
	int reason = errno;
	uint64_t one = 1;

	if (number != SIGCHLD && interrupt_again(number)) {
		signal(number, SIG_DFL);
		raise(number);
	}
	if (number != SIGCHLD)
		asked = number;
	if (write(bell, &one, sizeof(one)) < 0) {
		/* it rings already */
	}
	errno = reason;
}

int stop_watch(void)
{
	static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = ring_bell, .sa_flags = 0}, before;

	bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bell < 0)
		return fail_errno("cannot make an eventfd");
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
		sigaction(asking[i], NULL, &before);
		/*
		 * nohup(1) has SIGHUP ignored, and that stays. But a script's shell has SIGINT ignored in what it starts in the background, and
		 * then sends it all the same.
		 */
		if (asking[i] != SIGHUP || before.sa_handler != SIG_IGN)
			sigaction(asking[i], &action, NULL);
	}
	action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
	sigaction(SIGCHLD, &action, NULL);
	return bell;
}

void stop_rest(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0)
		return; /* nothing to take */
}

int stop_signal(void)
{
	return asked;
}
