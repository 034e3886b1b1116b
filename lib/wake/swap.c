#include "wake/swap.h"
#include "wake/part.h"

#include <stdlib.h>

/* Looks that are kept of a window; further ones are left out. */
enum { LOOKS_MAX = 1 << 12 };

/* For this long (ns) after a look, pages count as those of the same process: looks come five times a second. */
static const int64_t holds = 500000000;

struct swap_look { /* most of what was swapped out in (since, ts] belonged to one process */
	int64_t since, ts;
	int32_t owner; /* index of its first thread */
};

struct swap {
	ARRAY(struct swap_look) looks; /* in order of ts */
};

static struct swap *of(const struct wake *wake)
{
	return wake->of[PART_SWAP];
}

static void on_out(struct at *at)
{
	enum { PID, SINCE };

	if (of(at->wake)->looks.count < LOOKS_MAX)
		*ARRAY_ADD(&of(at->wake)->looks) = (struct swap_look){
		    .since = at_number(at, SINCE), .ts = at->wake->now, .owner = core_thread(at->wake, (int32_t)at_number(at, PID))->index};
}

int32_t swap_owner_at(const struct wake *wake, int64_t ts)
{
	const struct swap *swap = of(wake);
	size_t over = COUNT_UNTIL(swap->looks.items, swap->looks.count, ts, ts - 1);
	const struct swap_look *look;

	if (!swap->looks.count)
		return INDEX_NONE;
	look = &swap->looks.items[over < swap->looks.count ? over : over - 1];
	return look->since < ts && ts - look->ts <= holds ? look->owner : INDEX_NONE;
}

static void forget(struct wake *wake)
{
	of(wake)->looks.count = 0;
}

static void free_all(struct wake *wake)
{
	free(of(wake)->looks.items);
}

static const struct part_event events[] = {{"swap:out", on_out, {"pid", "since"}, .aside = true}, {0}};

const struct part swap_part = {
	.events = events,
	.window = sizeof(struct swap),
	.forget = forget,
	.free = free_all,
};
