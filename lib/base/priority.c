#include "base/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

enum { LOW = 10 }; /* the kernel's weight of 110, where that of others is 1024 */

void priority_lower(enum priority priority)
{
	int nice;

	if (sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
	if (priority != PRIORITY_LOW)
		return;
	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	if (errno == 0 && nice < LOW)
		setpriority(PRIO_PROCESS, 0, LOW);
}
