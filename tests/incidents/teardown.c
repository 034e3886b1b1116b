/*
 * The victim waits for the end of a child that has much memory to give back.
 * Expected: hugechild: running
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

#define LARGE ((size_t)1 << 30)

static sem_t *end, *ready;

static void hugechild(void)
{
	char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, LARGE, MADV_NOHUGEPAGE);
	if (memory == MAP_FAILED || madvise(memory, LARGE, MADV_POPULATE_WRITE) < 0)
		incident_fail("mmap");
	sem_post(ready);
	incident_wait(end);
}

void request(void)
{
	incident_compute(HEALTHY_US);
	if (!incident_is_slow())
		return;
	sem_post(end);
	waitpid(-1, NULL, 0);
}

static void disturb(void)
{
	incident_process("hugechild", hugechild);
	incident_wait(ready);
}

int main(void)
{
	end = incident_semaphore();
	ready = incident_semaphore();
	return incident_run(request, disturb);
}
