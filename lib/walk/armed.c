#include "walk/armed.h"

#include <stdlib.h>
#include <uthash.h>

enum { TIMERS_MOST = 1 << 16 }; /* the one armed first is forgotten first */

struct timer {
	uint64_t address;
	uint32_t segment; /* in which it was armed last */
	UT_hash_handle hh;
};

struct armed {
	struct cutter *cutter;
	struct whole *whole;
	struct timer *timers;
};

struct armed *armed_new(struct cutter *cutter)
{
	struct armed *armed = NEW(struct armed);

	armed->cutter = cutter;
	return armed;
}

static void drop(struct armed *armed, struct timer *timer)
{
	HASH_DEL(armed->timers, timer);
	free(timer);
}

void armed_begin(struct armed *armed, struct whole *whole)
{
	struct timer *timer, *next;

	HASH_ITER(hh, armed->timers, timer, next)
		drop(armed, timer);
	armed->whole = whole;
}

void armed_free(struct armed *armed)
{
	if (!armed)
		return;
	armed_begin(armed, NULL);
	free(armed);
}

static struct timer *find(const struct armed *armed, uint64_t address)
{
	struct timer *timer;

	HASH_FIND(hh, armed->timers, &address, sizeof(address), timer);
	return timer;
}

void armed_start(struct armed *armed, const struct event *event, uint64_t address)
{
	uint32_t segment = cutter_segment(armed->cutter, event);
	struct timer *timer = find(armed, address);

	if (timer)
		drop(armed, timer);
	if (segment == NUMBER_NONE)
		return;
	if (HASH_COUNT(armed->timers) >= TIMERS_MOST)
		drop(armed, armed->timers);
	timer = NEW(struct timer);
	timer->address = address;
	timer->segment = segment;
	HASH_ADD(hh, armed->timers, address, sizeof(timer->address), timer);
}

void armed_cancel(struct armed *armed, const struct event *event, uint64_t address)
{
	uint32_t segment = cutter_segment(armed->cutter, event);
	struct timer *timer = find(armed, address);

	if (!timer)
		return;
	if (segment != NUMBER_NONE && segment_at(armed->whole, timer->segment)->thread != segment_at(armed->whole, segment)->thread)
		whole_edge(armed->whole, timer->segment, segment, EDGE_TIMER, wake_time(event->ts), false);
	drop(armed, timer);
}
