/*
 * The victim starts a child that shares its memory (vfork), which keeps it from running on; now and then the child is
 * slow.
 * Expected: slowchild: running
 */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

void request(void)
{
	pid_t child = vfork();

	if (child == 0) {
		incident_name("slowchild");
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		incident_fail("vfork");
}

int main(void)
{
	return incident_run(request, NULL);
}
