/*
 * The victim moves a page (move_pages), for which the kernel has each CPU do a little first, by a thread of its own; a real-time
 * thread has the other CPU and lets nobody else run there. Needs two CPUs.
 * Expected: hogger: on CPU N while kworker/... was runnable
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, MOVE = 2 /* MPOL_MF_MOVE */ };

static sem_t *hog, *hogging;
static char *page;

static char *map(void)
{
	char *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		incident_fail("mmap");
	*memory = 1;
	return memory;
}

static void hogger(void)
{
	incident_pin(1);
	incident_real_time();
	for (;;) {
		incident_wait(hog);
		map(); /* a new page, so that this CPU has something to do */
		sem_post(hogging);
		incident_compute(TROUBLE_MS * 1000);
	}
}

void request(void)
{
	int node = 0, status = 0;
	void *address = page;

	if (syscall(SYS_move_pages, 0, 1, &address, &node, &status, MOVE) < 0)
		incident_fail("move_pages");
	incident_compute(HEALTHY_US);
}

static void disturb(void)
{
	sem_post(hog);
	incident_wait(hogging);
	incident_sleep(1000);
}

int main(void)
{
	hog = incident_semaphore();
	hogging = incident_semaphore();
	page = map();
	incident_process("hogger", hogger);
	incident_pin(0);
	return incident_run(request, disturb);
}
