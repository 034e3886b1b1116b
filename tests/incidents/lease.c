/*
 * The victim opens a file on which another process has a lease; that one computes before it gives it back.
 * Expected: lessee: running
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "incident.h"

static char path[] = "/tmp/incident-lease.XXXXXX";
static sem_t *lease, *leased;

static void lessee(void)
{
	sigset_t wanted;
	int file = open(path, O_RDONLY);

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGIO);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	for (;;) {
		incident_wait(lease);
		if (fcntl(file, F_SETLEASE, F_RDLCK) < 0)
			incident_fail("F_SETLEASE");
		sem_post(leased);
		sigwaitinfo(&wanted, NULL);
		incident_compute(TROUBLE_MS * 1000);
		fcntl(file, F_SETLEASE, F_UNLCK);
	}
}

void request(void)
{
	int file = open(path, O_WRONLY);

	if (file < 0)
		incident_fail(path);
	incident_compute(HEALTHY_US);
	close(file);
}

static void disturb(void)
{
	sem_post(lease);
	incident_wait(leased);
}

int main(void)
{
	int file = mkstemp(path), status;

	if (file < 0)
		incident_fail(path);
	close(file);
	lease = incident_semaphore();
	leased = incident_semaphore();
	incident_process("lessee", lessee);
	status = incident_run(request, disturb);
	unlink(path);
	return status;
}
