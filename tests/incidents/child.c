/*
 * The victim starts a program and waits for its end; now and then the program is slow.
 * Expected: slowchild: running
 */
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

void request(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", "child", incident_is_slow() ? "slow" : "quick", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		incident_fail("child");
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return incident_run(request, NULL);
	incident_name("slowchild");
	incident_compute(argv[1][0] == 's' ? TROUBLE_MS * 1000 : HEALTHY_US);
	return 0;
}
