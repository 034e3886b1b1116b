/*
 * The victim waits for a signal that another process sends when it has computed.
 * Expected: signaller: running
 */
#include <signal.h>
#include <unistd.h>

#include "incident.h"

static pid_t child;

static sigset_t set_of(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

static void receive(int number)
{
	sigset_t set = set_of(number);
	int got;

	sigwait(&set, &got);
}

/* USR1 asks for a quick answer, USR2 for a slow one; the answer is USR1. */
static void signaller(void)
{
	sigset_t set = set_of(SIGUSR1);
	int got;

	sigaddset(&set, SIGUSR2);
	for (;;) {
		sigwait(&set, &got);
		incident_compute(got == SIGUSR2 ? TROUBLE_MS * 1000 : HEALTHY_US);
		kill(getppid(), SIGUSR1);
	}
}

void request(void)
{
	kill(child, incident_is_slow() ? SIGUSR2 : SIGUSR1);
	receive(SIGUSR1);
}

int main(void)
{
	sigset_t set = set_of(SIGUSR1);

	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = incident_process("signaller", signaller);
	return incident_run(request, NULL);
}
