/*
 * The victim maps a page; a mapper of the same process is giving back a large area, and holds the lock of the address
 * space meanwhile.
 * Expected: mapper: running
 */
#include <sys/mman.h>

#include "incident.h"

enum { PAGE = 4096 };
#define LARGE ((size_t)1 << 30)

static sem_t unmap, unmapping;
static void *area;

static void *map(size_t size, int flags)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		incident_fail("mmap");
	return memory;
}

static void mapper(void)
{
	for (;;) {
		incident_wait(&unmap);
		area = map(LARGE, 0);
		madvise(area, LARGE, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < LARGE; at += PAGE)
			((volatile char *)area)[at] = 1;
		sem_post(&unmapping);
		munmap(area, LARGE);
	}
}

void request(void)
{
	if (incident_is_slow())
		incident_sleep(1000); /* until the mapper has got going */
	munmap(map(PAGE, MAP_POPULATE), PAGE);
}

static void disturb(void)
{
	sem_post(&unmap);
	incident_wait(&unmapping);
}

int main(void)
{
	incident_thread("mapper", mapper);
	return incident_run(request, disturb);
}
