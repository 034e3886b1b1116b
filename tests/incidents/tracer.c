/*
 * A debugger has the victim in its hand (ptrace), computes, and lets it go on.
 * Expected: tracer: running
 */
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

static sem_t *inspect;

static void tracer(void)
{
	pid_t victim = getppid();

	if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) < 0)
		incident_fail("PTRACE_SEIZE");
	for (;;) {
		incident_wait(inspect);
		incident_sleep(HEALTHY_US); /* the request begins meanwhile */
		ptrace(PTRACE_INTERRUPT, victim, NULL, NULL);
		waitpid(victim, NULL, __WALL);
		incident_compute(TROUBLE_MS * 1000);
		ptrace(PTRACE_CONT, victim, NULL, NULL);
	}
}

void request(void)
{
	incident_compute(4 * HEALTHY_US);
}

static void disturb(void)
{
	sem_post(inspect);
}

int main(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	inspect = incident_semaphore();
	incident_process("tracer", tracer);
	return incident_run(request, disturb);
}
