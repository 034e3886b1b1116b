/*
 * incident: moments in a row that are one story: they have the same host, chart, key, thread name and culprit, and little time between
 * them. The filter cuts a long incident into several windows.
 *
 *	struct incident incident = {0};
 *	if (incident_goes_on(&incident, moment)) {	for each moment in turn
 *		incident_add(&incident, moment);
 *	} else {
 *		further = incident_words(&incident);
 *		incident_begin(&incident, moment);
 *	}
 *	incident_free(&incident);
 */
#ifndef REPORT_INCIDENT_H
#define REPORT_INCIDENT_H

#include "model/moment.h"

/* All zero: there is no incident that could go on. */
struct incident {
	uint64_t first; /* number of its first moment */
	uint64_t moments, incomplete;
	double sum, worst; /* of the values of the moments' worst signals */

	/* private */
	char *host, *chart, *key, *comm, *culprit;
	enum unit unit;
	struct clock clock;
	int64_t from, until;
};

/* Tells whether a moment continues the incident so far. If so, add the moment; if not, begin another incident with it. */
bool incident_goes_on(const struct incident *incident, const struct moment *moment);
void incident_add(struct incident *incident, const struct moment *moment);
void incident_begin(struct incident *incident, const struct moment *moment);

/* "the same in 8 moments from 10:18:02.500 to 10:18:40.123: 24.3 s in all"; NULL: it is one moment. The caller frees it. */
char *incident_words(const struct incident *incident);

void incident_free(struct incident *incident);

#endif
