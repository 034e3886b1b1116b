/*
 * The victim writes to a file system that a backup has frozen for a snapshot; it computes before it thaws it. Makes an
 * ext4 file system on the block device that is its argument.
 * Expected: backup: running
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static int diary;
static sem_t *freeze, *frozen;

static void backup(void)
{
	for (;;) {
		incident_wait(freeze);
		if (ioctl(diary, FIFREEZE, 0) < 0)
			incident_fail("FIFREEZE");
		sem_post(frozen);
		incident_compute(TROUBLE_MS * 1000);
		ioctl(diary, FITHAW, 0);
	}
}

void request(void)
{
	incident_compute(HEALTHY_US);
	incident_write(diary, "x", 1);
}

static void disturb(void)
{
	sem_post(freeze);
	incident_wait(frozen);
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 2) {
		fputs("usage: freeze DEVICE\n", stderr);
		return 2;
	}
	incident_mount(argv[1]);
	diary = open("diary", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	freeze = incident_semaphore();
	frozen = incident_semaphore();
	pid_t freezer = incident_process("backup", backup);
	status = incident_run(request, disturb);
	incident_sleep(10000); /* it has thawed */
	kill(freezer, SIGKILL);
	waitpid(freezer, NULL, 0);
	close(diary);
	incident_unmount();
	return status;
}
