/*
 * The victim waits for all CPUs to have passed through a quiet state (RCU, by membarrier): that takes its time, in which
 * a thread of the kernel sleeps and nobody works.
 * Expected: timer: sleep of rcu_preempt, or rcu_sched
 */
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "incident.h"

enum { PERIODS = 5 };

void request(void)
{
	incident_compute(HEALTHY_US);
	for (int n = 0; incident_is_slow() && n < PERIODS; n++)
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
			incident_fail("membarrier");
}

int main(void)
{
	return incident_run(request, NULL);
}
