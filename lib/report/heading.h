/*
 * heading: a line before the moments of another host or another day, because a moment's own line has the time of day only. The caller
 * frees every text that is returned.
 */
#ifndef REPORT_HEADING_H
#define REPORT_HEADING_H

#include "model/moment.h"

/* All zero: no moment came yet. */
struct heading {
	char *host, *first_host;
	int64_t day, first_day; /* since 1970, in UTC; INT64_MIN: not known */
	bool dated;		/* a heading told a day */
	bool began;		/* the first moment had a heading of its own */
};

/*
 * "moments of web2 on 2026-11-22", with what is needed of it; NULL: where the moment before was, or, before the first one, the
 * first stream began.
 */
char *heading_next(struct heading *heading, const struct site *site, const struct moment *moment);

/* For above the first moment, when all are known: where it was, if there are several hosts or days, and it does not say so itself. */
char *heading_first(const struct heading *heading, const struct site *site);

void heading_free(struct heading *heading);

#endif
