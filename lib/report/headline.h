/*
 * headline: the worst incidents. The worst one has three lines: what was slow, who waited for whom, and who is to blame. Each of the
 * next has a line. Moments for which the pipe itself is to blame have one line of their own.
 *
 *	struct headlines worst = {0};
 *	headlines_see(&worst, site, moment);		for each moment
 *	first = headlines_first(&worst, model);		"worst of 3 moments: recvfrom by client/4510 took 273 ms at 14:37:53.878, ..."
 *	next = headlines_next(&worst, site, 1);		"fsync by db/12 took 100 ms at 14:38:01.003; to blame: gzip 75 %"
 *	own = headlines_own(&worst, site);		"2 moments were this pipe's own: fsync by db/12 took 9 ms at ..."
 *	headlines_free(&worst);
 */
#ifndef REPORT_HEADLINE_H
#define REPORT_HEADLINE_H

#include "model/model.h"
#include "report/incident.h"

/* A moment that stands for its incident, because it lost the most time. */
struct headline {
	uint64_t number; /* of the moment */
	char *chain;	 /* who waits for whom, else the main part of the path; "" where there is no path */
	char *blame;	 /* "to blame: gzip 75 % (process 5003), ..."; "" where nobody is known */

	/* private */
	uint64_t incident; /* number of its first moment */
	double lost; /* see headline_lost() */
	char *subject, *normal, *host, *culprit;
	struct clock clock;
	int64_t began;
	bool has_began;
};

enum { HEADLINES = 4 };

/* All zero: no moment came. The worst comes first. */
struct headlines {
	struct headline items[HEADLINES];
	size_t count;
	struct incident incident; /* private: the current one */

	uint64_t owns;	     /* moments that are the pipe's own */
	struct headline own; /* private: the worst of them */
};

/* The time that a moment lost, in seconds; -INFINITY where it lost none. */
double headline_lost(const struct moment *moment);

void headlines_see(struct headlines *headlines, const struct site *site, const struct moment *moment);

/* The first line, with lost data in a few words; and the line of headline `which`, from 1 on. The caller frees them. */
char *headlines_first(const struct headlines *headlines, const struct model *model);
char *headlines_next(const struct headlines *headlines, const struct site *site, size_t which);

/* The line about the pipe's own moments; NULL: there are none. The caller frees it. */
char *headlines_own(const struct headlines *headlines, const struct site *site);

void headlines_free(struct headlines *headlines);

#endif
