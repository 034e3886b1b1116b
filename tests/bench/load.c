/*
 * load: makes kernel events, always the same number of them, as fast as it can.
 *
 *	load switches COUNT	two processes on one CPU pass a byte to and fro: context switches and wake-ups
 *	load syscalls COUNT	one process calls getppid()
 *	load steady COUNT	the same without end, so many calls a second, in a burst each millisecond
 */
#include <err.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pass_on(int from, int to, long count)
{
	char byte = 0;

	for (long n = 0; n < count; n++)
		if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
			err(1, "pipe");
}

static void switches(long count)
{
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (pipe(there) < 0 || pipe(back) < 0 || sched_setaffinity(0, sizeof(one), &one) < 0)
		err(1, "switches");
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		pass_on(there[0], back[1], count);
		_exit(0);
	}
	pass_on(back[0], there[1], count);
	waitpid(child, NULL, 0);
}

static void syscalls(long count)
{
	for (long n = 0; n < count; n++)
		syscall(SYS_getppid);
}

static void steady(long count)
{
	const long each = 1000000; /* ns */
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		syscalls(count / 1000);
		next.tv_nsec += each;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long count);
	} loads[] = {{"switches", switches}, {"syscalls", syscalls}, {"steady", steady}};

	for (size_t n = 0; argc == 3 && n < sizeof(loads) / sizeof(*loads); n++) {
		if (!strcmp(argv[1], loads[n].name)) {
			loads[n].run(atol(argv[2]));
			return 0;
		}
	}
	errx(2, "usage: load switches|syscalls|steady COUNT");
}
