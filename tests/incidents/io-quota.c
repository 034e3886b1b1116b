/*
 * The victim reads from a block device, its argument, of which its control group may read so much a second; now and then
 * it reads more at once.
 * Expected: io throttled: victim
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096, LARGE = 4 << 20, PER_SECOND = 16 << 20 };

static char group[128];
static int file;
static char *buffer;

static bool put(const char *name, const char *text)
{
	char path[192];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	fd = open(path, O_WRONLY);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool make_group(const char *parent, const char *limit, const char *spelling, dev_t device)
{
	char text[64];

	snprintf(group, sizeof(group), "%s/incident-io-quota.%d", parent, getpid());
	if (mkdir(group, 0700) < 0)
		return false;
	snprintf(text, sizeof(text), spelling, major(device), minor(device), PER_SECOND);
	if (put(limit, text))
		return true;
	rmdir(group);
	return false;
}

void request(void)
{
	static off_t at;
	size_t size = incident_is_slow() ? LARGE : BLOCK;

	if (pread(file, buffer, size, at) != (ssize_t)size)
		incident_fail("pread");
	at += (off_t)size;
}

static int run(void)
{
	if (!put("cgroup.procs", "0"))
		incident_fail(group);
	return incident_run(request, NULL);
}

/* The group outlives whoever is in it, so another process removes it. */
int main(int argc, char **argv)
{
	struct stat info;
	int status = 0;
	pid_t child;

	if (argc != 2) {
		fputs("usage: io-quota DEVICE\n", stderr);
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, LARGE);
	if (file < 0 || !buffer || fstat(file, &info) < 0)
		incident_fail(argv[1]);
	if (!make_group("/sys/fs/cgroup", "io.max", "%u:%u rbps=%u", info.st_rdev) &&
	    !make_group("/sys/fs/cgroup/blkio", "blkio.throttle.read_bps_device", "%u:%u %u", info.st_rdev))
		incident_fail("no group with a limit for reading");
	child = fork();
	if (child == 0)
		return run();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		status = 1;
	for (int tries = 0; rmdir(group) < 0 && tries < 100; tries++)
		incident_sleep(10000);
	return status != 0;
}
