/* Two functions that each request calls: the one that input names by its first letter is slow for a while; else both are quick. */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

enum { SLOW_US = 20000, QUICK_US = 100, PAUSE_MS = 4 };

static const double slow_for = 0.6; /* seconds */
static char slow;		    /* 0: neither */

METHOD int find_post(int id)
{
	usleep(slow == 'p' ? SLOW_US : QUICK_US);
	return id;
}

METHOD int find_user(int id)
{
	usleep(slow == 'u' ? SLOW_US : QUICK_US);
	return id;
}

METHOD int handle(int request) { return find_post(request) + find_user(request); }

static double now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	struct pollfd input = {0, POLLIN, 0};
	double until = 0;

	for (int i = 0;; i++) {
		char letter;

		if (poll(&input, 1, PAUSE_MS) > 0) {
			if (read(0, &letter, 1) != 1)
				return 0;
			slow = letter;
			until = now() + slow_for;
		}
		if (now() > until)
			slow = 0;
		handle(i);
	}
}
