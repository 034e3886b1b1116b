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
 * "moments of web2 on 2026-11-22", or the part of it that is needed. NULL: host and day are those of the moment before; for the first
 * moment, those at which the first stream began.
 */
char *heading_next(struct heading *heading, const struct site *site, const struct moment *moment);

/* The heading above the first moment, once all moments are known. NULL: there is one host and one day, or heading_next() returned a heading. */
char *heading_first(const struct heading *heading, const struct site *site);

void heading_free(struct heading *heading);

#endif
