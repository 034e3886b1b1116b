/*
 * The victim writes a little and waits for it to be on the disk; bulky has just written much. Makes an ext4 file system on
 * the block device that is its argument.
 *	journal DEVICE		fsync: the journal of the file system, in the order that it keeps, takes bulky's first
 *	journal DEVICE all	syncfs: all that was written to the file system is to be on the disk
 * Expected: bulky: write of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { LARGE = 1 << 20, MEGABYTES = 180 };

static char large[LARGE];
static int diary;
static int (*sync_it)(int) = fsync;
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
	incident_write(diary, "x", 1);
	if (sync_it(diary) < 0)
		incident_fail("diary");
}

static void disturb(void)
{
	sem_post(go);
	incident_wait(gone);
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2 && (argc != 3 || strcmp(argv[2], "all"))) {
		fputs("usage: journal DEVICE [all]\n", stderr);
		return 2;
	}
	if (argc == 3)
		sync_it = syncfs;
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
