#include "blame/activity.h"

#include <stdbool.h>
#include <stdlib.h>

struct toggle {
	int64_t time;
	int32_t node;
	int8_t run, wait; /* 1: begins; -1: ends; 0: does not change */
};

struct state {
	int32_t runs, waits; /* how many have begun and not ended */
	int64_t since;	     /* when it became active */
	struct share before; /* the running sum at that time */
};

struct activity {
	ARRAY(struct toggle) toggles;
	struct state *state; /* by node */
	struct reciprocals reciprocals;
};

struct activity *activity_new(size_t nodes)
{
	struct activity *activity = NEW(struct activity);

	activity->state = memory_new(nodes + 1, sizeof(*activity->state));
	return activity;
}

void activity_free(struct activity *activity)
{
	free(activity->toggles.items);
	free(activity->reciprocals.of.items);
	free(activity->state);
	free(activity);
}

void activity_runs(struct activity *activity, int32_t node, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	*ARRAY_ADD(&activity->toggles) = (struct toggle){.time = from, .node = node, .run = 1};
	*ARRAY_ADD(&activity->toggles) = (struct toggle){.time = to, .node = node, .run = -1};
}

void activity_waits(struct activity *activity, int32_t node, int64_t from, int64_t to)
{
	if (from >= to)
		return;
	*ARRAY_ADD(&activity->toggles) = (struct toggle){.time = from, .node = node, .wait = 1};
	*ARRAY_ADD(&activity->toggles) = (struct toggle){.time = to, .node = node, .wait = -1};
}

static int compare_toggles(const void *left, const void *right)
{
	const struct toggle *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static bool active(const struct state *state)
{
	return state->runs > 0 && state->waits <= 0;
}

/*
 * The order of toggles of the same time does not matter: a node that is active only between two of them gains the difference of two
 * equal running sums.
 */
uint64_t activity_share(struct activity *activity, struct share *share, activity_stretch *stretch, void *context)
{
	struct share sum = {0};
	uint32_t sharers = 0;
	uint64_t busy = 0;
	int64_t now = 0;

	if (activity->toggles.count)
		qsort(activity->toggles.items, activity->toggles.count, sizeof(struct toggle), compare_toggles);
	for (size_t i = 0; i < activity->toggles.count; i++) {
		const struct toggle *toggle = &activity->toggles.items[i];
		struct state *state = &activity->state[toggle->node];
		bool was = active(state);

		if (sharers && toggle->time != now) {
			uint64_t duration = (uint64_t)toggle->time - (uint64_t)now;

			sum = share_plus(sum, share_of(&activity->reciprocals, duration, sharers));
			busy += duration;
		}
		now = toggle->time;
		state->runs += toggle->run;
		state->waits += toggle->wait;
		if (!was && active(state)) {
			sharers++;
			state->since = now;
			state->before = sum;
		} else if (was && !active(state)) {
			sharers--;
			share[toggle->node] = share_plus(share[toggle->node], share_minus(sum, state->before));
			if (stretch && state->since < now)
				stretch(context, toggle->node, state->since, now);
		}
	}
	activity->toggles.count = 0;
	return busy;
}
