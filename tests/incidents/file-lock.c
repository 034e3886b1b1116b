/*
 * A lock on a file (flock), held by another process while it computes.
 * Expected: keeper: running
 */
#include <sys/file.h>

#include "incident.h"

static int file; /* the victim's; the keeper opens its own */

void request(void)
{
	flock(file, LOCK_EX);
	incident_compute(HEALTHY_US);
	flock(file, LOCK_UN);
}

int main(void)
{
	file = incident_open_self();
	incident_keeper();
	return incident_run(request, incident_keep);
}
