#include "wake/recording.h"

#include "chart/recorded.h"
#include "wake/part.h"

struct recording {
	struct recorded recorded; /* of the stream */
	bool vouched;
};

static struct recording *of(const struct wake *wake)
{
	return wake->of[PART_RECORDING];
}

bool recording_vouched(const struct wake *wake)
{
	return of(wake)->vouched;
}

const char *recording_doubt(const struct wake *wake, int64_t since)
{
	return !of(wake)->vouched && recorded_lacks(&of(wake)->recorded, since) >= 0 ? "cpu" : NULL;
}

static void event(struct at *at, bool apart)
{
	(void)apart;
	if (!of(at->wake)->vouched)
		recorded_event(&of(at->wake)->recorded, at->cpu->number, at->wake->now);
}

static void on_switch(struct at *at)
{
	enum { PREV, NEXT };

	if (at_number(at, NEXT) == TID_IDLE)
		recorded_idle(&of(at->wake)->recorded, at->cpu->number, at->wake->now);
}

static void woken(const struct at *at, bool chosen)
{
	enum { CPU };

	recorded_woken(&of(at->wake)->recorded, at_number(at, CPU), at->wake->now, chosen);
}

/* sched_waking names the CPU that the thread had last. */
static void on_waking(struct at *at)
{
	woken(at, false);
}

static void on_wakeup(struct at *at)
{
	woken(at, true);
}

/* No saved trace of another tool has the key `boot`. */
static int read_stream(struct wake *wake, const struct fields *fields)
{
	recorded_clear(&of(wake)->recorded);
	of(wake)->vouched = fields_find(fields, "boot") != NULL;
	return 0;
}

static void free_all(struct wake *wake)
{
	recorded_clear(&of(wake)->recorded);
}

static const struct part_event events[] = {
	{"sched:sched_switch", on_switch, {"prev_pid", "next_pid"}},
	{"sched:sched_waking", on_waking, {"target_cpu"}},
	{"sched:sched_wakeup", on_wakeup, {"target_cpu"}},
	{"sched:sched_wakeup_new", on_wakeup, {"target_cpu"}},
	{0},
};

static const struct part_record records[] = {{KIND_STREAM, read_stream}, {0}};

const struct part recording_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct recording),
	.free = free_all,
	.event = event,
	.doubts = recording_doubt,
};
