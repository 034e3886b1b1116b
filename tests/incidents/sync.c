/*
 * The victim asks for all that was written to be on the disk (syncfs); what it wrote is little, but another has just
 * written much. Makes an ext4 file system on the block device that is its argument.
 * Expected: bulky: write of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { LARGE = 1 << 20, MEGABYTES = 160 };

static char large[LARGE];
static int diary;
static sem_t *go, *gone;

static void bulky(void)
{
	for (;;) {
		incident_wait(go);
		int file = open("bulk", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		for (int n = 0; n < MEGABYTES; n++)
			incident_write(file, large, LARGE);
		close(file);
		sem_post(gone);
	}
}

void request(void)
{
	if (pwrite(diary, "x", 1, 0) < 0 || syncfs(diary) < 0)
		incident_fail("syncfs");
}

static void disturb(void)
{
	sem_post(go);
	incident_wait(gone);
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2) {
		fputs("usage: sync DEVICE\n", stderr);
		return 2;
	}
	incident_mount(argv[1]);
	diary = open("diary", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	go = incident_semaphore();
	gone = incident_semaphore();
	pid_t writer = incident_process("bulky", bulky);
	status = incident_run(request, disturb);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	close(diary);
	incident_unmount();
	return status;
}
