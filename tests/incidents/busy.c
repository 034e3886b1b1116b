/*
 * The victim itself computes, in one of the functions that a request calls.
 * Expected, with --stack: victim: running in characters_at_index
 */
#include "incident.h"

__attribute__((noinline)) static void characters_at_index(void)
{
	incident_compute(incident_is_slow() ? TROUBLE_MS * 1000 : HEALTHY_US / 2);
}

__attribute__((noinline)) static void paint(void)
{
	incident_compute(HEALTHY_US / 2);
}

void request(void)
{
	characters_at_index();
	paint();
}

int main(void)
{
	return incident_run(request, NULL);
}
