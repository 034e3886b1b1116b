/*
 * The victim reads a block of a device, past the page cache, with the idle priority of ionice(1); a crowd of ordinary
 * readers of large blocks comes first. Needs a block device with the mq-deadline scheduler as its argument.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <linux/ioprio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096, LARGE = 1 << 20, CROWD = 16, CROWD_READS = 150 };

static const char *device;
static off_t size;
static int file;
static char *buffer;
static sem_t *go;

static void open_device(void)
{
	file = open(device, O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, LARGE);
	if (file < 0 || !buffer)
		incident_fail(device);
	size = lseek(file, 0, SEEK_END);
}

static void read_somewhere(ssize_t block)
{
	if (pread(file, buffer, block, random() % (size / block) * block) != block)
		incident_fail(device);
}

static void crowd(void)
{
	open_device();
	srandom(getpid());
	for (;;) {
		incident_wait(go);
		for (int n = 0; n < CROWD_READS; n++)
			read_somewhere(LARGE);
	}
}

void request(void)
{
	read_somewhere(BLOCK);
}

static void disturb(void)
{
	for (int n = 0; n < CROWD; n++)
		sem_post(go);
	incident_sleep(10000); /* until the crowd has got going */
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		static const char usage[] = "usage: disk DEVICE\n";

		incident_write(2, usage, sizeof(usage) - 1);
		return 2;
	}
	device = argv[1];
	open_device();
	go = incident_semaphore();
	for (int n = 0; n < CROWD; n++)
		incident_process("crowd", crowd);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	return incident_run(request, disturb);
}
