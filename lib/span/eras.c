#include "span/eras.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"

/* Less is no step: events of several CPUs may be so much out of order. */
#define BACK_LEAST (NSEC_PER_SEC / 1000)

struct era {
	int64_t begin; /* shifted */
	int64_t shift;
	int64_t back; /* how far the time went back at its beginning */
};

struct eras {
	ARRAY(struct era) items; /* the first begins before all times */
	int64_t newest;
};

struct eras *eras_new(void)
{
	struct eras *eras = NEW(struct eras);

	*ARRAY_ADD(&eras->items) = (struct era){.begin = INT64_MIN};
	eras->newest = INT64_MIN;
	return eras;
}

void eras_free(struct eras *eras)
{
	free(eras->items.items);
	free(eras);
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

bool eras_take(struct eras *eras, int64_t ts)
{
	int64_t before = eras->items.items[eras->items.count - 1].shift, at = shifted(&eras->items.items[eras->items.count - 1], ts);
	int64_t begin, shift, back;

	if (eras->newest == INT64_MIN || at >= less(eras->newest)) {
		eras->newest = at > eras->newest ? at : eras->newest;
		return false;
	}
	if (__builtin_add_overflow(eras->newest, 1, &begin) || __builtin_sub_overflow(begin, ts, &shift) ||
	    __builtin_sub_overflow(shift, before, &back))
		return false; /* no clock shows such times */
	eras->newest = begin;
	*ARRAY_ADD(&eras->items) = (struct era){.begin = begin, .shift = shift, .back = back};
	return true;
}

int64_t eras_newest(const struct eras *eras)
{
	return eras->newest;
}

/* By the latest era at the place, or before it, which has this time. */
int64_t eras_shift(const struct eras *eras, int64_t ts, int64_t place)
{
	size_t own = eras_of(eras, place);

	for (size_t i = own; i < eras->items.count && i > 0; i--) {
		const struct era *era = &eras->items.items[i];
		int64_t at = shifted(era, ts);

		if (at <= place && at >= less(era->begin))
			return at > era->begin ? at : era->begin;
	}
	return own && ts < eras->items.items[1].begin ? ts : shifted(&eras->items.items[own], ts);
}

size_t eras_steps(const struct eras *eras)
{
	return eras->items.count - 1;
}

int64_t eras_step(const struct eras *eras, size_t step)
{
	return eras->items.items[step + 1].begin;
}

int64_t eras_back(const struct eras *eras, size_t step)
{
	return eras->items.items[step + 1].back;
}

size_t eras_of(const struct eras *eras, int64_t time)
{
	return COUNT_UNTIL(eras->items.items, eras->items.count, begin, time) - 1; /* the first begins at the least time that there is */
}

int64_t eras_by(const struct eras *eras, size_t era)
{
	return eras->items.items[era].shift;
}
