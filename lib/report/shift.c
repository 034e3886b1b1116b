/* Levels that changed for good: limits records with change=. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"

int gather_shift(struct model *model, struct track *track, const struct fields *fields, double center)
{
	struct shift shift = {.up = fields_is(fields, "change", "up"), .from = track->center, .to = center};

	if (!shift.up && !fields_is(fields, "change", "down"))
		return fail("change= must be up or down");
	if (read_time(fields, "ts", &shift.at) < 0 || read_time(fields, "since", &shift.at) < 0)
		return -1;
	shift.clock = model->clock;
	track->all_shifts++;
	if (track->shifts.count == TRACK_SHIFTS)
		memmove(track->shifts.items, track->shifts.items + 1, --track->shifts.count * sizeof(shift));
	*ARRAY_ADD(&track->shifts) = shift;
	return 0;
}

/* What is not worth a line: less than this ratio, or so few failures of a hundred more or less. */
#define RATIO_TOLD 1.5
#define SHARE_TOLD 0.05

/* How much it matters: what became worse before what became better, then by the ratio; 0: not worth a line. */
static double weight(enum unit unit, const struct shift *shift)
{
	double low = fmin(shift->from, shift->to), high = fmax(shift->from, shift->to), ratio;

	if (isnan(shift->from))
		return 1;
	/* the values that gave the alarm went the other way than those that came after it: no level */
	if ((shift->to > shift->from) != shift->up || (unit == UNIT_SHARE && high - low < SHARE_TOLD))
		return 0;
	ratio = low > 0 ? fmin(high / low, 1e6) : 1e6;
	return ratio < RATIO_TOLD ? 0 : ratio + (shift->up ? 1e6 : 0);
}

/* Takes its place among so many found; returns how many there are then. */
static size_t take_place(struct level_change *found, size_t count, size_t room, struct level_change change)
{
	double weighs = weight(change.track->unit, change.shift);
	size_t at = count;

	while (at > 0 && weight(found[at - 1].track->unit, found[at - 1].shift) < weighs)
		at--;
	if (weighs == 0 || at == room)
		return count;
	if (count < room)
		count++;
	memmove(&found[at + 1], &found[at], (count - 1 - at) * sizeof(*found));
	found[at] = change;
	return count;
}

size_t shifts_that_matter(const struct model *model, struct level_change *found, size_t room, uint64_t *others)
{
	size_t count = 0;
	uint64_t all = 0;

	for (const struct chart_story *chart = model->charts; chart; chart = chart->hh.next)
		for (const struct track *track = chart->tracks; track; track = track->hh.next) {
			all += track->all_shifts;
			for (size_t i = 0; i < track->shifts.count; i++)
				count = take_place(found, count, room, (struct level_change){track, &track->shifts.items[i]});
		}
	*others = all - count;
	return count;
}
