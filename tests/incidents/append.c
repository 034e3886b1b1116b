/*
 * The victim appends to a file into which another process writes much at once: the kernel locks the file meanwhile.
 * Expected: bulky: running
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "incident.h"

#define LARGE ((size_t)320 << 20)

static int file;
static char *large;
static sem_t *go, *gone;

static void bulky(void)
{
	for (;;) {
		incident_wait(go);
		sem_post(gone);
		if (pwrite(file, large, LARGE, 0) < 0)
			incident_fail("write");
	}
}

void request(void)
{
	if (incident_is_slow())
		incident_sleep(2000); /* until the bulky one has got going */
	if (pwrite(file, "x", 1, LARGE) < 0)
		incident_fail("write");
}

static void disturb(void)
{
	if (ftruncate(file, 0) < 0)
		incident_fail("ftruncate");
	sem_post(go);
	incident_wait(gone);
}

int main(void)
{
	file = memfd_create("log", 0);
	large = incident_shared(LARGE);
	if (file < 0 || madvise(large, LARGE, MADV_POPULATE_WRITE) < 0)
		incident_fail("memory");
	go = incident_semaphore();
	gone = incident_semaphore();
	incident_process("bulky", bulky);
	return incident_run(request, disturb);
}
