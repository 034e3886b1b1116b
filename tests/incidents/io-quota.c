/*
 * The victim reads from a block device, its argument, of which its control group may read so much a second; now and then
 * it reads more at once.
 * Expected: io throttled: victim
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096, LARGE = 4 << 20, PER_SECOND = 16 << 20 };

static int file;
static char *buffer;

static bool limit_reading(dev_t device)
{
	return incident_group("/sys/fs/cgroup", "io.max", "%u:%u rbps=%u", major(device), minor(device), PER_SECOND) ||
	       incident_group("/sys/fs/cgroup/blkio", "blkio.throttle.read_bps_device", "%u:%u %u", major(device),
			      minor(device), PER_SECOND);
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
	return incident_run(request, NULL);
}

int main(int argc, char **argv)
{
	struct stat info;

	if (argc != 2) {
		fputs("usage: io-quota DEVICE\n", stderr);
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, LARGE);
	if (file < 0 || !buffer || fstat(file, &info) < 0)
		incident_fail(argv[1]);
	if (!limit_reading(info.st_rdev))
		incident_fail("no group with a limit for reading");
	return incident_run_in_group(run);
}
