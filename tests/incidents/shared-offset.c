/*
 * The victim and a reader have a file in common that was opened once, so that the kernel locks its offset while one of
 * them reads; the reader reads much at once.
 * Expected: reader: running
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "incident.h"

#define LARGE ((size_t)400 << 20)

static char path[] = "/dev/shm/incident-shared-offset.XXXXXX";
static int file;
static char *large;
static sem_t *go, *gone;

static void reader(void)
{
	for (;;) {
		incident_wait(go);
		lseek(file, 0, SEEK_SET);
		sem_post(gone);
		if (read(file, large, LARGE) < 0)
			incident_fail("read");
	}
}

void request(void)
{
	char byte;

	if (incident_is_slow())
		incident_sleep(2000); /* until the reader has got going */
	if (read(file, &byte, 1) < 0)
		incident_fail("read");
}

static void disturb(void)
{
	sem_post(go);
	incident_wait(gone);
}

int main(void)
{
	file = mkstemp(path); /* a file without a name (memfd_create) has no such lock */
	unlink(path);
	large = incident_shared(LARGE);
	if (file < 0 || madvise(large, LARGE, MADV_POPULATE_WRITE) < 0 || pwrite(file, large, LARGE, 0) < 0)
		incident_fail("memory");
	go = incident_semaphore();
	gone = incident_semaphore();
	incident_process("reader", reader);
	return incident_run(request, disturb);
}
