/*
 * The victim shares its work out to threads of its own and joins them; one has more to do than the others.
 * Expected: heavy: running
 */
#include "incident.h"

static void light(void)
{
	incident_compute(HEALTHY_US / 4);
}

static void heavy(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US);
}

void request(void)
{
	pthread_t threads[] = {incident_thread("light1", light), incident_thread("heavy", heavy),
			       incident_thread("light2", light)};

	for (int n = 0; n < 3; n++)
		pthread_join(threads[n], NULL);
}

int main(void)
{
	return incident_run(request, NULL);
}
