/* Levels that changed for good: limits records with change=. */
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
	shift.at = time_sum(shift.at, model->wall);
	track->all_shifts++;
	if (track->shifts.count == TRACK_SHIFTS)
		memmove(track->shifts.items, track->shifts.items + 1, --track->shifts.count * sizeof(shift));
	*ARRAY_ADD(&track->shifts) = shift;
	return 0;
}
