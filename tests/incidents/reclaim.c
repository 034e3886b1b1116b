/*
 * The victim needs memory in a group (cgroup) that has reached its limit, filled with the pages that hoarder wrote to a
 * file: it must make room first, and wait for the disk.
 * Expected: hoarder: write of MAJOR:MINOR in service, or victim: reclaiming memory of a control group
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, LARGE = 1 << 20, LIMIT = 48 * LARGE, NEED = 12 * LARGE, HOARD = 44 * LARGE, STRIDE = 4 * PAGE };

static char file_name[64], page[PAGE];
static sem_t *hoard, *hoarded;

static void hoarder(void)
{
	int file = open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	unlink(file_name);
	for (;;) {
		incident_wait(hoard);
		for (off_t n = 0; n < HOARD / PAGE; n++) /* apart, so that the disk has work with them */
			if (pwrite(file, page, PAGE, n * STRIDE) != PAGE)
				incident_fail(file_name);
		sem_post(hoarded);
	}
}

void request(void)
{
	size_t size = incident_is_slow() ? NEED : LARGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, size, MADV_HUGEPAGE);
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 1;
	munmap(memory, size);
}

static void disturb(void)
{
	sem_post(hoard);
	incident_wait(hoarded);
}

static int run(void)
{
	hoard = incident_semaphore();
	hoarded = incident_semaphore();
	incident_process("hoarder", hoarder);
	return incident_run(request, disturb);
}

int main(void)
{
	snprintf(file_name, sizeof(file_name), "/tmp/incident-reclaim.%d", getpid());
	if (!incident_group("/sys/fs/cgroup", "memory.max", "%d", LIMIT) &&
	    !incident_group("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "%d", LIMIT))
		incident_fail("no group with a limit of memory");
	return incident_run_in_group(run);
}
