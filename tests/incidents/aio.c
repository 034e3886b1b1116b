/*
 * The victim reads a block of a device with asynchronous I/O (io_submit), with the idle priority of
 * ionice(1); a crowd of ordinary readers comes first. Needs a block device with the mq-deadline scheduler.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096 };

static off_t size;
static int file, done;
static char *buffer;
static aio_context_t context;

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

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: aio DEVICE\n", stderr);
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, BLOCK);
	if (file < 0 || !buffer)
		incident_fail(argv[1]);
	size = lseek(file, 0, SEEK_END);
	done = eventfd(0, 0);
	if (syscall(SYS_io_setup, 4, &context) < 0)
		incident_fail("io_setup");
	incident_crowd(argv[1]);
	return incident_run(request, incident_crowd_reads);
}
