/*
 * The victim maps a page; an agent that watches the machine reads how much memory the victim's process uses
 * (/proc/PID/smaps), which locks the address space while all pages of a large area are counted.
 * Expected: agent: running
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096 };

static const size_t LARGE = 3UL << 30;
static sem_t *look, *looking;
static pid_t watched;

static void agent(void)
{
	static char text[1 << 16];
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps", watched);
	for (;;) {
		int file;

		incident_wait(look);
		file = open(path, O_RDONLY);
		if (file < 0)
			incident_fail(path);
		sem_post(looking);
		while (read(file, text, sizeof(text)) > 0)
			;
		close(file);
	}
}

static char *map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		incident_fail("mmap");
	return memory;
}

void request(void)
{
	char *page = map(PAGE);

	*page = 1;
	munmap(page, PAGE);
	incident_compute(HEALTHY_US);
}

static void disturb(void)
{
	sem_post(look);
	incident_wait(looking);
	incident_sleep(3000); /* until it has come to the large area */
}

int main(void)
{
	char *large;

	look = incident_semaphore();
	looking = incident_semaphore();
	watched = getpid();
	incident_process("agent", agent);
	large = map(LARGE);
	madvise(large, LARGE, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < LARGE; at += PAGE) /* all are the page of zeros, which takes no memory */
		if (((volatile char *)large)[at])
			return 1;
	return incident_run(request, disturb);
}
