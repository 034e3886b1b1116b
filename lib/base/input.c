#include "base/input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/fail.h"

ssize_t read_or_wait(int fd, const char *name, void *bytes, size_t room, int (*wait)(void *context, int fd), void *context)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	ssize_t got;

	if (wait && poll(&ready, 1, 0) == 0 && wait(context, fd) != 0)
		return -1;
	while ((got = read(fd, bytes, room)) < 0) {
		if (errno != EINTR)
			return fail_errno("cannot read '%s'", name);
		if (wait && wait(context, fd) != 0)
			return -1;
	}
	return got;
}

/* poll() reports POLLERR alone for a pipe without a reader; a terminal that hung up has POLLERR, too, but not alone. */
int await_input(int fd, int out)
{
	struct pollfd both[] = {{.fd = fd, .events = POLLIN}, {.fd = out}};

	if (poll(both, 2, -1) < 0)
		return -1;
	return (both[1].revents & (POLLERR | POLLHUP)) == POLLERR;
}
