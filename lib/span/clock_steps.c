#include "span/clock_steps.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"

/* A step goes back by more than this; events of several CPUs may be out of order by this much. */
#define BACK_LEAST (NSEC_PER_SEC / 1000)

struct era {
	int64_t begin; /* shifted */
	int64_t shift;
	int64_t back; /* how far the clock went back where the era begins */
};

struct clock_steps {
	ARRAY(struct era) items; /* the first era begins before all times */
	int64_t newest;
};

struct clock_steps *clock_steps_new(void)
{
	struct clock_steps *steps = NEW(struct clock_steps);

	*ARRAY_ADD(&steps->items) = (struct era){.begin = INT64_MIN};
	steps->newest = INT64_MIN;
	return steps;
}

void clock_steps_free(struct clock_steps *steps)
{
	free(steps->items.items);
	free(steps);
}

static int64_t shifted(const struct era *era, int64_t ts)
{
	int64_t sum;

	return !__builtin_add_overflow(ts, era->shift, &sum) ? sum : ts < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t less(int64_t time)
{
	return time > INT64_MIN + BACK_LEAST ? time - BACK_LEAST : INT64_MIN;
}

bool clock_steps_take(struct clock_steps *steps, int64_t ts)
{
	const struct era *last = &steps->items.items[steps->items.count - 1];
	int64_t before = last->shift, at = shifted(last, ts);
	int64_t begin, shift, back;

	if (steps->newest == INT64_MIN || at >= less(steps->newest)) {
		steps->newest = at > steps->newest ? at : steps->newest;
		return false;
	}
	if (__builtin_add_overflow(steps->newest, 1, &begin) || __builtin_sub_overflow(begin, ts, &shift) ||
	    __builtin_sub_overflow(shift, before, &back))
		return false; /* no real clock has such times */
	steps->newest = begin;
	*ARRAY_ADD(&steps->items) = (struct era){.begin = begin, .shift = shift, .back = back};
	return true;
}

int64_t clock_steps_newest(const struct clock_steps *steps)
{
	return steps->newest;
}

/* Shifts by the latest era, at the place or before it, that has this time. */
int64_t clock_steps_shift(const struct clock_steps *steps, int64_t ts, int64_t place)
{
	size_t own = clock_steps_before(steps, place);

	for (size_t i = own; i < steps->items.count && i > 0; i--) {
		const struct era *era = &steps->items.items[i];
		int64_t at = shifted(era, ts);

		if (at <= place && at >= less(era->begin))
			return at > era->begin ? at : era->begin;
	}
	return own && ts < steps->items.items[1].begin ? ts : shifted(&steps->items.items[own], ts);
}

size_t clock_steps_count(const struct clock_steps *steps)
{
	return steps->items.count - 1;
}

int64_t clock_steps_time(const struct clock_steps *steps, size_t step)
{
	return steps->items.items[step + 1].begin;
}

int64_t clock_steps_back(const struct clock_steps *steps, size_t step)
{
	return steps->items.items[step + 1].back;
}

size_t clock_steps_before(const struct clock_steps *steps, int64_t time)
{
	return COUNT_UNTIL(steps->items.items, steps->items.count, begin, time) - 1; /* the first era begins at INT64_MIN */
}

int64_t clock_steps_total(const struct clock_steps *steps, size_t count)
{
	return steps->items.items[count].shift;
}
