/*
 * The victim itself has more to compute: it waits for nobody.
 * Expected: victim: running
 */
#include "incident.h"

void request(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
}

int main(void)
{
	return incident_run(request, NULL);
}
