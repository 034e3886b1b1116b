/*
 * The victim asks two servers, one after the other; both are slow at once, the second more so.
 * Expected: second: running
 */
#include "incident.h"

static int to_first[2], to_second[2];

static void first(void)
{
	incident_serve(to_first[1]);
}

static void second(void)
{
	incident_serve(to_second[1]);
}

void request(void)
{
	bool slow = incident_is_slow();

	incident_ask(to_first[0], slow ? TROUBLE_MS * 1000 / 4 : HEALTHY_US / 2);
	incident_ask(to_second[0], slow ? TROUBLE_MS * 1000 * 3 / 4 : HEALTHY_US / 2);
}

int main(void)
{
	incident_pair(to_first);
	incident_pair(to_second);
	incident_process("first", first);
	incident_process("second", second);
	return incident_run(request, NULL);
}
