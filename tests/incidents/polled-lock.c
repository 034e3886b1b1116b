/*
 * A lock that another process has while it computes, and that the victim tries to get every five milliseconds: by flock, fcntl, or a
 * directory (mkdir), which only whoever made it removes.
 * Expected: keeper: running; mkdir: unknown: holder of what victim polls by mkdir
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "incident.h"

static char folder[] = "/tmp/polled-lock.XXXXXX", path[64];
static const char *kind;
static sem_t *hold, *held;
static int file;

static bool get(void)
{
	struct flock whole = {.l_type = F_WRLCK};

	if (strcmp(kind, "mkdir") == 0)
		return mkdir(path, 0700) == 0;
	return (strcmp(kind, "flock") == 0 ? flock(file, LOCK_EX | LOCK_NB) : fcntl(file, F_SETLK, &whole)) == 0;
}

static void give_back(void)
{
	struct flock none = {.l_type = F_UNLCK};

	if (strcmp(kind, "mkdir") == 0)
		rmdir(path);
	else if (strcmp(kind, "flock") == 0)
		flock(file, LOCK_UN);
	else
		fcntl(file, F_SETLK, &none);
}

static int open_lock(void)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		incident_fail(path);
	return fd;
}

static void keeper(void)
{
	if (strcmp(kind, "mkdir") != 0)
		file = open_lock();
	for (;;) {
		incident_wait(hold);
		get();
		sem_post(held);
		incident_compute(TROUBLE_MS * 1000);
		give_back();
	}
}

void request(void)
{
	while (!get())
		incident_sleep(5000);
	incident_compute(HEALTHY_US);
	give_back();
}

static void disturb(void)
{
	sem_post(hold);
	incident_wait(held);
}

int main(int argc, char **argv)
{
	int status;

	kind = argc > 1 ? argv[1] : "flock";
	if (!mkdtemp(folder))
		incident_fail(folder);
	snprintf(path, sizeof(path), "%s/lock", folder);
	hold = incident_semaphore();
	held = incident_semaphore();
	if (strcmp(kind, "mkdir") != 0)
		file = open_lock();
	incident_process("keeper", keeper);
	status = incident_run(request, disturb);
	unlink(path);
	rmdir(path);
	rmdir(folder);
	return status;
}
