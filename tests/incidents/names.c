/*
 * The victim looks at the arguments of another process (as ps does), whose address space is locked: a thread there gives
 * back a large area.
 * Expected: mapper: running
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "incident.h"

#define LARGE ((size_t)1 << 30)

static sem_t *unmap, *unmapping;
static char path[64];

static void mapper(void)
{
	for (;;) {
		incident_wait(unmap);
		char *area = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(area, LARGE, MADV_NOHUGEPAGE);
		if (area == MAP_FAILED || madvise(area, LARGE, MADV_POPULATE_WRITE) < 0)
			incident_fail("mmap");
		sem_post(unmapping);
		mmap(area, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	}
}

void request(void)
{
	char line[64];
	int file;

	if (incident_is_slow())
		incident_sleep(1000); /* until the mapper has got going */
	file = open(path, O_RDONLY);
	if (file < 0 || read(file, line, sizeof(line)) < 0)
		incident_fail(path);
	close(file);
}

static void disturb(void)
{
	sem_post(unmap);
	incident_wait(unmapping);
}

int main(void)
{
	unmap = incident_semaphore();
	unmapping = incident_semaphore();
	snprintf(path, sizeof(path), "/proc/%d/cmdline", incident_process("mapper", mapper));
	return incident_run(request, disturb);
}
