/*
 * A semaphore of System V, taken by another process while it computes.
 * Expected: keeper: running
 */
#include <sys/sem.h>

#include "incident.h"

static sem_t *hold, *held;
static int semaphore;

static void change(short by)
{
	struct sembuf operation = {.sem_op = by};

	if (semop(semaphore, &operation, 1) < 0)
		incident_fail("semop");
}

static void keeper(void)
{
	for (;;) {
		incident_wait(hold);
		change(-1);
		sem_post(held);
		incident_compute(TROUBLE_MS * 1000);
		change(1);
	}
}

void request(void)
{
	change(-1);
	incident_compute(HEALTHY_US);
	change(1);
}

static void disturb(void)
{
	sem_post(hold);
	incident_wait(held);
}

int main(void)
{
	int status;

	semaphore = semget(IPC_PRIVATE, 1, 0600);
	if (semaphore < 0)
		incident_fail("semget");
	change(1);
	hold = incident_semaphore();
	held = incident_semaphore();
	incident_process("keeper", keeper);
	status = incident_run(request, disturb);
	semctl(semaphore, 0, IPC_RMID);
	return status;
}
