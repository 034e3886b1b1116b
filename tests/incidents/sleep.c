/*
 * The victim just sleeps: a timer ends its wait, and nobody else is to blame.
 * Expected: timer: nanosleep of victim
 */
#include "incident.h"

void request(void)
{
	incident_compute(HEALTHY_US);
	if (incident_is_slow())
		incident_sleep(TROUBLE_MS * 1000);
}

int main(void)
{
	return incident_run(request, NULL);
}
