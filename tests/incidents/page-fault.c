/*
 * The victim touches pages of a mapped block device; now and then they have left the memory, and a crowd keeps the device
 * busy. Needs a block device with the mq-deadline scheduler as its argument.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <linux/ioprio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { LARGE = 1 << 20, CROWD = 16, CROWD_READS = 150, PLACE = 64 << 20 };

static const char *device;
static off_t size;
static volatile unsigned char *map;
static int file;
static sem_t *go;

static void crowd(void)
{
	int fd = open(device, O_RDONLY | O_DIRECT);
	char *buffer = aligned_alloc(4096, LARGE);

	srandom(getpid());
	for (;;) {
		incident_wait(go);
		for (int n = 0; n < CROWD_READS; n++)
			if (pread(fd, buffer, LARGE, random() % (size / LARGE) * LARGE) != LARGE)
				incident_fail(device);
	}
}

void request(void)
{
	unsigned char sum = map[0];

	incident_compute(HEALTHY_US + sum);
}

static void disturb(void)
{
	madvise((void *)map, LARGE, MADV_DONTNEED);
	posix_fadvise(file, PLACE, LARGE, POSIX_FADV_DONTNEED);
	for (int n = 0; n < CROWD; n++)
		sem_post(go);
	incident_sleep(10000); /* until the crowd has got going */
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		static const char usage[] = "usage: page-fault DEVICE\n";

		incident_write(2, usage, sizeof(usage) - 1);
		return 2;
	}
	device = argv[1];
	file = open(device, O_RDONLY);
	if (file < 0)
		incident_fail(device);
	size = lseek(file, 0, SEEK_END);
	map = mmap(NULL, LARGE, PROT_READ, MAP_SHARED, file, PLACE);
	if (map == MAP_FAILED)
		incident_fail("mmap");
	madvise((void *)map, LARGE, MADV_RANDOM);
	go = incident_semaphore();
	for (int n = 0; n < CROWD; n++)
		incident_process("crowd", crowd);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	return incident_run(request, disturb);
}
