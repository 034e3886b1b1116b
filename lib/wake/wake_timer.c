#include "wake/wake.h"

#include <stdlib.h>

/* Its memory may become another timer's, which is then armed before it expires. */
struct armed_timer {
	uint64_t address;
	struct raise by;
	int32_t last; /* who armed it last, and it has not expired since; INDEX_NONE */
	UT_hash_handle hh;
};

void timer_arm(struct wake *wake, uint64_t address, const struct thread *by)
{
	struct armed_timer *timer;

	HASH_FIND(hh, wake->timers, &address, sizeof(address), timer);
	if (!timer) {
		timer = NEW(struct armed_timer);
		timer->address = address;
		timer->last = INDEX_NONE;
		HASH_ADD(hh, wake->timers, address, sizeof(address), timer);
	}
	timer->by = (struct raise){by->index, wake->now};
	if (timer->last != INDEX_NONE && timer->last != by->index)
		timer->by.thread = INDEX_NONE; /* what it was to end may have been the other's wait */
	timer->last = by->index;
}

struct raise timer_armed(struct wake *wake, uint64_t address)
{
	struct armed_timer *timer;

	HASH_FIND(hh, wake->timers, &address, sizeof(address), timer);
	if (!timer)
		return (struct raise){.thread = INDEX_NONE};
	timer->last = INDEX_NONE;
	return timer->by;
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
