/*
 * The victim reads a block of a device with asynchronous I/O (io_submit), with the idle priority of
 * ionice(1); a crowd of ordinary readers comes first. Needs a block device with the mq-deadline scheduler.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/ioprio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096, LARGE = 1 << 20, CROWD = 16, CROWD_READS = 150 };

static const char *device;
static off_t size;
static int file, done;
static char *buffer;
static sem_t *go;
static aio_context_t context;

static void open_device(void)
{
	file = open(device, O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, LARGE);
	if (file < 0 || !buffer)
		incident_fail(device);
	size = lseek(file, 0, SEEK_END);
}

static void crowd(void)
{
	open_device();
	srandom(getpid());
	for (;;) {
		incident_wait(go);
		for (int n = 0; n < CROWD_READS; n++)
			if (pread(file, buffer, LARGE, random() % (size / LARGE - 1) * LARGE) != LARGE)
				incident_fail(device);
	}
}

void request(void)
{
	struct iocb wanted = {.aio_lio_opcode = IOCB_CMD_PREAD,
			      .aio_fildes = (unsigned)file,
			      .aio_buf = (unsigned long)buffer,
			      .aio_nbytes = BLOCK,
			      .aio_offset = size - BLOCK * (1 + random() % 100),
			      .aio_flags = IOCB_FLAG_RESFD,
			      .aio_resfd = (unsigned)done};
	struct iocb *all[] = {&wanted};
	struct io_event event;
	uint64_t count;

	if (syscall(SYS_io_submit, context, 1, all) != 1)
		incident_fail("io_submit");
	incident_read(done, &count, sizeof(count));
	if (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
		incident_fail("io_getevents");
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
		fputs("usage: aio DEVICE\n", stderr);
		return 2;
	}
	device = argv[1];
	open_device();
	done = eventfd(0, 0);
	if (syscall(SYS_io_setup, 4, &context) < 0)
		incident_fail("io_setup");
	go = incident_semaphore();
	for (int n = 0; n < CROWD; n++)
		incident_process("crowd", crowd);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	return incident_run(request, disturb);
}
