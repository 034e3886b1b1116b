/*
 * The victim runs a command through the shell; the shell waits for it like the victim.
 * Expected: slowchild: running
 */
#include <stdio.h>
#include <stdlib.h>

#include "incident.h"

static char *program;

void request(void)
{
	char command[512];

	if (!incident_is_slow()) {
		incident_compute(HEALTHY_US);
		return;
	}
	snprintf(command, sizeof(command), "'%s' slow; true", program);
	if (system(command) != 0)
		incident_fail(command);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		incident_name("slowchild");
		incident_compute(TROUBLE_MS * 1000);
		return 0;
	}
	program = realpath(argv[0], NULL);
	return incident_run(request, NULL);
}
