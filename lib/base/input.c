#include "base/input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/fail.h"

ssize_t read_or_wait(int fd, const char *name, void *bytes, size_t room, int (*wait)(void *context), void *context)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	ssize_t got;

	if (wait && poll(&ready, 1, 0) == 0 && wait(context) != 0)
		return -1;
	while ((got = read(fd, bytes, room)) < 0) {
		if (errno != EINTR)
			return fail_errno("cannot read '%s'", name);
		if (wait && wait(context) != 0)
			return -1;
	}
	return got;
}
