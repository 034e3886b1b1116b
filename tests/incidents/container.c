/*
 * The victim waits for the end of a container (a namespace of processes), which is over when all in it are; one has much
 * memory to give back.
 * Expected: hugechild: running
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

#define LARGE ((size_t)1 << 30)

static sem_t *ready;
static pid_t init;

static void first(void)
{
	pid_t child = fork();

	if (child == 0) {
		incident_name("hugechild");
		char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED || madvise(memory, LARGE, MADV_NOHUGEPAGE) < 0 ||
		    madvise(memory, LARGE, MADV_POPULATE_WRITE) < 0)
			incident_fail("mmap");
		sem_post(ready);
		pause();
	}
	pause();
}

void request(void)
{
	incident_compute(HEALTHY_US);
	if (!incident_is_slow())
		return;
	kill(init, SIGKILL);
	waitpid(init, NULL, 0);
}

static void disturb(void)
{
	if (unshare(CLONE_NEWPID) < 0)
		incident_fail("unshare");
	init = fork();
	if (init == 0) {
		incident_name("init");
		first();
	}
	incident_wait(ready);
}

int main(void)
{
	ready = incident_semaphore();
	return incident_run(request, disturb);
}
