/*
 * Threads in a circle hand a baton on, each waking the next by a futex, until it is back with the victim. One of them
 * is slow now and then.
 * Expected: laggard: running
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { RUNNERS = 5, ROUNDS = 2 };

static _Atomic int baton[RUNNERS]; /* 1: this runner has it; runner 0 is the victim */

static void receive(int runner)
{
	while (!atomic_exchange(&baton[runner], 0))
		syscall(SYS_futex, &baton[runner], FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void hand_on(int runner)
{
	int next = (runner + 1) % RUNNERS;

	atomic_store(&baton[next], 1);
	syscall(SYS_futex, &baton[next], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void run(int runner, long slow_us)
{
	for (;;) {
		receive(runner);
		incident_compute(incident_is_slow() ? slow_us : HEALTHY_US / 10);
		hand_on(runner);
	}
}

static void runner1(void)
{
	run(1, HEALTHY_US / 10);
}

static void runner2(void)
{
	run(2, HEALTHY_US / 10);
}

static void laggard(void)
{
	run(3, TROUBLE_MS * 1000 / ROUNDS);
}

static void runner4(void)
{
	run(4, HEALTHY_US / 10);
}

void request(void)
{
	for (int n = 0; n < ROUNDS; n++) {
		hand_on(0);
		receive(0);
	}
}

int main(void)
{
	incident_thread("runner1", runner1);
	incident_thread("runner2", runner2);
	incident_thread("laggard", laggard);
	incident_thread("runner4", runner4);
	return incident_run(request, NULL);
}
