/* See incident.h. */
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096, LARGE = 1 << 20, CROWD = 16, CROWD_READS = 150 };

static char mount_point[] = "/tmp/incident-mount.XXXXXX";
static const char *crowded; /* the device */
static sem_t *go;

void incident_mount(const char *device)
{
	char command[256];

	snprintf(command, sizeof(command), "mkfs.ext4 -q -F '%s'", device);
	if (system(command) != 0)
		incident_fail(command);
	if (!mkdtemp(mount_point) || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(device, mount_point, "ext4", 0, "nodelalloc,dioread_lock") < 0 || chdir(mount_point) < 0)
		incident_fail("cannot mount");
}

void incident_unmount(void)
{
	if (chdir("/") < 0)
		incident_fail("/");
	umount2(mount_point, MNT_DETACH);
	rmdir(mount_point);
}

static void crowd(void)
{
	int file = open(crowded, O_RDONLY | O_DIRECT);
	off_t size = lseek(file, 0, SEEK_END);
	char *buffer = aligned_alloc(BLOCK, LARGE);

	if (file < 0 || !buffer)
		incident_fail(crowded);
	srandom(getpid());
	for (;;) {
		incident_wait(go);
		for (int n = 0; n < CROWD_READS; n++)
			if (pread(file, buffer, LARGE, random() % (size / LARGE - 1) * LARGE) != LARGE)
				incident_fail(crowded);
	}
}

void incident_crowd(const char *device)
{
	crowded = device;
	go = incident_semaphore();
	for (int n = 0; n < CROWD; n++)
		incident_process("crowd", crowd);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

void incident_crowd_reads(void)
{
	for (int n = 0; n < CROWD; n++)
		sem_post(go);
	incident_sleep(10000); /* until the crowd has got going */
}
