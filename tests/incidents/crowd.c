/*
 * A crowd of processes reads blocks at random places of one block device, past the page cache: the incident of the
 * control-chart paper. A few leisurely readers come first and find the device quiet, so that a chart learns what is
 * healthy; then the crowd joins them, and under a scheduler that keeps a queue for each process (bfq) single reads wait
 * seconds.
 *
 *	crowd [-n PROCESSES] [-r READERS_OF_THEM] [-w SECONDS_BEFORE_THE_CROWD] [-s SECONDS_WITH_IT] [-b BLOCK] DEVICE
 *
 * At the end it tells standard error how long reads took before and with the crowd.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct tally { /* one process' reads in one phase, nanoseconds */
	int64_t reads, sum, max;
};

enum { READER_PAUSE_US = 1000 };

static int processes = 320, readers = 4;
static double before_s = 1, with_s = 3;
static size_t block = 4096;
static const char *device;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Reads until `end`; reads that begin before `crowd_at` count as phase 0, later ones as phase 1. */
static void read_at_random(useconds_t pause_us, struct tally tally[2], int64_t crowd_at, int64_t end)
{
	int fd = open(device, O_RDONLY | O_DIRECT);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	void *buffer = aligned_alloc(4096, block);
	unsigned int seed = getpid();

	if (fd < 0 || size < (off_t)block || !buffer)
		err(1, "cannot read '%s'", device);
	for (int64_t begin; (begin = now_ns()) < end;) {
		off_t place = ((off_t)rand_r(&seed) << 20 ^ rand_r(&seed)) % (size / block) * block;

		if (pread(fd, buffer, block, place) != (ssize_t)block)
			err(1, "read of '%s'", device);
		int64_t took = now_ns() - begin;
		struct tally *t = &tally[begin >= crowd_at];
		t->reads++;
		t->sum += took;
		t->max = took > t->max ? took : t->max;
		if (pause_us)
			usleep(pause_us);
	}
}

static void start(const char *name, useconds_t pause_us, struct tally tally[2], int64_t crowd_at, int64_t end)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (child > 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	read_at_random(pause_us, tally, crowd_at, end);
	_exit(0);
}

static void print_phase(const char *name, int phase, struct tally (*tallies)[2])
{
	struct tally all = {0};

	for (int n = 0; n < processes; n++) {
		struct tally *t = &tallies[n][phase];

		all.reads += t->reads;
		all.sum += t->sum;
		all.max = t->max > all.max ? t->max : all.max;
	}
	fprintf(stderr, "%s: %jd reads, mean %.3f ms, longest %.3f ms\n", name, (intmax_t)all.reads,
		all.reads ? all.sum / 1e6 / all.reads : 0, all.max / 1e6);
}

static bool parse(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "n:r:w:s:b:")) != -1;) {
		switch (option) {
		case 'n':
			processes = atoi(optarg);
			break;
		case 'r':
			readers = atoi(optarg);
			break;
		case 'w':
			before_s = atof(optarg);
			break;
		case 's':
			with_s = atof(optarg);
			break;
		case 'b':
			block = atol(optarg);
			break;
		default:
			return false;
		}
	}
	device = argv[optind];
	return argc == optind + 1 && processes > 0 && readers <= processes && block > 0 && block % 512 == 0;
}

int main(int argc, char **argv)
{
	int status = 0, child_status;

	if (!parse(argc, argv))
		errx(2, "usage: crowd [-n PROCESSES] [-r READERS] [-w SECONDS] [-s SECONDS] [-b BLOCK] DEVICE");

	size_t size = sizeof(struct tally[2]) * processes;
	struct tally(*tallies)[2] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED)
		err(1, "mmap");

	int64_t crowd_at = now_ns() + before_s * 1e9, end = crowd_at + with_s * 1e9;
	for (int n = 0; n < readers; n++)
		start("reader", READER_PAUSE_US, tallies[n], crowd_at, end);
	usleep(before_s * 1e6);
	for (int n = readers; n < processes; n++)
		start("crowd", 0, tallies[n], crowd_at, end);

	while (wait(&child_status) > 0)
		status |= child_status;
	print_phase("before the crowd", 0, tallies);
	print_phase("with the crowd", 1, tallies);
	return status ? 1 : 0;
}
