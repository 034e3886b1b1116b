/*
 * A lock on a file (flock), held by another process while it computes.
 * Expected: keeper: running
 */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "incident.h"

static sem_t *hold, *held;
static int file; /* the victim's; the keeper opens its own */

static int open_lock(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	if (fd < 0)
		incident_fail("/proc/self/exe");
	return fd;
}

static void keeper(void)
{
	int mine = open_lock();

	for (;;) {
		incident_wait(hold);
		flock(mine, LOCK_EX);
		sem_post(held);
		incident_compute(TROUBLE_MS * 1000);
		flock(mine, LOCK_UN);
	}
}

void request(void)
{
	flock(file, LOCK_EX);
	incident_compute(HEALTHY_US);
	flock(file, LOCK_UN);
}

static void disturb(void)
{
	sem_post(hold);
	incident_wait(held);
}

int main(void)
{
	hold = incident_semaphore();
	held = incident_semaphore();
	file = open_lock();
	incident_process("keeper", keeper);
	return incident_run(request, disturb);
}
