/*
 * worst: chooses the moments that a report shows of many: the WORST_SHOWN that lost the most time, and of those that lost the same, the first.
 *
 *	struct worst worst = worst_of(items, sizeof(*items), offsetof(struct item, lost), count);
 *	for each moment in turn
 *		if (worst_takes(&worst, lost)) ...
 */
#ifndef REPORT_WORST_H
#define REPORT_WORST_H

#include <stdbool.h>
#include <stddef.h>

enum { WORST_SHOWN = 100 };

struct worst {
	double least; /* moments that lost more are shown, */
	size_t equal; /* and this number of those that lost exactly as much */
};

/* The items are `size` bytes each; at `offset` is the double that headline_lost() gave. */
struct worst worst_of(const void *items, size_t size, size_t offset, size_t count);

bool worst_takes(struct worst *worst, double lost);

#endif
