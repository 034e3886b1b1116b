/*
 * The victim waits for a child that prepares something and then goes over into another program, which ends at once.
 * Expected: entrypoint: running
 */
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

void request(void)
{
	pid_t child = fork();

	if (child < 0)
		incident_fail("fork");
	if (child == 0) {
		incident_name("entrypoint");
		incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
		execl("/bin/true", "true", (char *)NULL);
		incident_fail("/bin/true");
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	return incident_run(request, NULL);
}
