/*
 * The victim writes a little and waits for it to be on the disk (fsync); bulky has just written much, and the journal of
 * the file system, in the order that it keeps, takes that first. Makes an ext4 file system on the block device that is
 * its argument.
 * Expected: bulky: write of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { LARGE = 1 << 20, MEGABYTES = 180 };

static char directory[] = "/tmp/incident-journal.XXXXXX", large[LARGE];
static int diary;
static sem_t *go, *gone;

static void mount_device(const char *device)
{
	char command[256];

	snprintf(command, sizeof(command), "mkfs.ext4 -q -F '%s'", device);
	if (system(command) != 0)
		incident_fail(command);
	if (!mkdtemp(directory) || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount(device, directory, "ext4", 0, "nodelalloc,dioread_lock") < 0 ||
	    chdir(directory) < 0)
		incident_fail("cannot mount");
}

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
	if (fsync(diary) < 0)
		incident_fail("fsync");
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
		fputs("usage: journal DEVICE\n", stderr);
		return 2;
	}
	mount_device(argv[1]);
	diary = open("diary", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	go = incident_shared(2 * sizeof(*go));
	gone = go + 1;
	sem_init(go, 1, 0);
	sem_init(gone, 1, 0);
	pid_t writer = incident_process("bulky", bulky);
	status = incident_run(request, disturb);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	close(diary);
	chdir("/");
	umount2(directory, MNT_DETACH);
	rmdir(directory);
	return status;
}
