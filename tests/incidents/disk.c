/*
 * The victim reads a block of a device, past the page cache, with the idle priority of ionice(1); a crowd of ordinary
 * readers of large blocks comes first. Needs a block device with the mq-deadline scheduler as its argument.
 * Expected: crowd: read of MAJOR:MINOR in service
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "incident.h"

enum { BLOCK = 4096 };

static off_t size;
static int file;
static char *buffer;

void request(void)
{
	if (pread(file, buffer, BLOCK, random() % (size / BLOCK) * BLOCK) != BLOCK)
		incident_fail("pread");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: disk DEVICE\n", stderr);
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_DIRECT);
	buffer = aligned_alloc(BLOCK, BLOCK);
	if (file < 0 || !buffer)
		incident_fail(argv[1]);
	size = lseek(file, 0, SEEK_END);
	incident_crowd(argv[1]);
	return incident_run(request, incident_crowd_reads);
}
