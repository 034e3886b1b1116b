/*
 * The victim reads a page of a file that another process is reading already, while a crowd has the disk. Needs a block
 * device with the mq-deadline scheduler as its argument.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, PAGES = 400, IDLE_CLASS = 3 << 13 };

static int fd;
static volatile int *page;
static sem_t *wanted;

static void first(void)
{
	char buffer[PAGE];

	syscall(SYS_ioprio_set, 1, 0, IDLE_CLASS);
	for (;;) {
		incident_wait(wanted);
		if (pread(fd, buffer, PAGE, (off_t)*page * PAGE) != PAGE)
			incident_fail("read");
	}
}

static void disturb(void)
{
	incident_crowd_reads();
	sem_post(wanted);
	incident_sleep(3000);
}

void request(void)
{
	char buffer[PAGE];

	if (pread(fd, buffer, PAGE, (off_t)(*page)++ * PAGE) != PAGE)
		incident_fail("read");
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2) {
		fputs("usage: same-page DEVICE\n", stderr);
		return 2;
	}
	incident_mount(argv[1]);
	page = incident_shared(sizeof(*page));
	wanted = incident_semaphore();
	fd = open("file", O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < PAGES; i++)
		incident_write(fd, (char[PAGE]){0}, PAGE);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	incident_process("first", first);
	incident_crowd(argv[1]);
	status = incident_run(request, disturb);
	close(fd);
	incident_unmount();
	return status;
}
