/*
 * The victim touches pages of a mapped block device; now and then they have left the memory, and a crowd keeps the device
 * busy. Needs a block device with the mq-deadline scheduler as its argument.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "incident.h"

enum { LARGE = 1 << 20, PLACE = 64 << 20 };

static volatile unsigned char *map;
static int file;

void request(void)
{
	unsigned char sum = map[0];

	incident_compute(HEALTHY_US + sum);
}

static void disturb(void)
{
	madvise((void *)map, LARGE, MADV_DONTNEED);
	posix_fadvise(file, PLACE, LARGE, POSIX_FADV_DONTNEED);
	incident_crowd_reads();
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: page-fault DEVICE\n", stderr);
		return 2;
	}
	file = open(argv[1], O_RDONLY);
	if (file < 0)
		incident_fail(argv[1]);
	map = mmap(NULL, LARGE, PROT_READ, MAP_SHARED, file, PLACE);
	if (map == MAP_FAILED)
		incident_fail("mmap");
	madvise((void *)map, LARGE, MADV_RANDOM);
	incident_crowd(argv[1]);
	return incident_run(request, disturb);
}
