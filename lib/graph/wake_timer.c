#include "graph/wake.h"

#include <stdlib.h>

/* Its memory may become another timer's, which is then armed before it expires. */
struct armed_timer {
	uint64_t address;
	struct raise by;
	UT_hash_handle hh;
};

void timer_arm(struct wake *wake, uint64_t address, const struct thread *by)
{
	struct armed_timer *timer;

	HASH_FIND(hh, wake->timers, &address, sizeof(address), timer);
	if (!timer) {
		timer = NEW(struct armed_timer);
		timer->address = address;
		HASH_ADD(hh, wake->timers, address, sizeof(address), timer);
	}
	timer->by = (struct raise){by->index, wake->now};
}

struct raise timer_armed(const struct wake *wake, uint64_t address)
{
	const struct armed_timer *timer;

	HASH_FIND(hh, wake->timers, &address, sizeof(address), timer);
	return timer ? timer->by : (struct raise){.thread = INDEX_NONE};
}

void timer_forget(struct wake *wake)
{
	struct armed_timer *timer, *next;

	HASH_ITER(hh, wake->timers, timer, next)
	{
		HASH_DEL(wake->timers, timer);
		free(timer);
	}
}
