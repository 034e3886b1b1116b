/*
 * The victim has more memory than its group may use: the rest is swapped out, to a block device, and comes back as the victim touches it.
 * Expected: victim: swap-in of MAJOR:MINOR in service, or swap-out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, SIZE = 12 << 20, LIMIT = 10 << 20 };

static char *memory;

/* In an order that the kernel does not read ahead. */
void request(void)
{
	for (size_t i = 0; incident_is_slow() && i < SIZE / PAGE; i++)
		memory[i * 4099 % (SIZE / PAGE) * PAGE]++;
	incident_compute(HEALTHY_US);
}

static int run(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, SIZE);
	incident_sleep(1500000); /* devices are looked at once a second */
	return incident_run(request, NULL);
}

int main(int argc, char **argv)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command), "mkswap -q %s >/dev/null", argc > 1 ? argv[1] : "");
	if (argc < 2 || system(command) != 0 || swapon(argv[1], 0) < 0)
		incident_fail("swapon");
	if (!incident_group("/sys/fs/cgroup", "memory.max", "%d", LIMIT) &&
	    !incident_group("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "%d", LIMIT))
		incident_fail("a control group with a limit of memory");
	status = incident_run_in_group(run);
	swapoff(argv[1]);
	return status;
}
