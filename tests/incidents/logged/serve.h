/* serve: asks for a request every few milliseconds, numbered from 0, until standard input ends. */
#include <poll.h>

#define METHOD __attribute__((noipa))

static inline void serve(int (*handle)(int))
{
	struct pollfd input = {0, POLLIN, 0};

	for (int i = 0; poll(&input, 1, 4) == 0; i++)
		handle(i);
}
