/*
 * shown_moments: chooses the moments that a report shows: the SHOWN_MOMENTS that lost the most time; of moments that lost the same, the first.
 *
 *	struct shown_moments shown = shown_moments_of(items, sizeof(*items), offsetof(struct item, lost), count);
 *	for each moment in turn
 *		if (shown_moments_takes(&shown, lost)) ...
 */
#ifndef REPORT_SHOWN_MOMENTS_H
#define REPORT_SHOWN_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { SHOWN_MOMENTS = 100 };

struct shown_moments {
	double least; /* moments that lost more are shown */
	size_t equal; /* this number of those that lost exactly `least` are shown, too */
};

/* The items are `size` bytes each; at `offset` is the double that headline_lost() gave. */
struct shown_moments shown_moments_of(const void *items, size_t size, size_t offset, size_t count);

bool shown_moments_takes(struct shown_moments *shown, double lost);

#endif
