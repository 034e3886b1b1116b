/*
 * incident: moments in a row that are one story: on the same host, chart, key and thread name, to blame on the same culprit, and with
 * little time between them. The filter cuts a long incident into several windows.
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

/* All zero: no moment came that could go on. */
struct incident {
	uint64_t first; /* number of its first moment */
	uint64_t moments, incomplete;
	double sum, worst; /* of the values of their worst signals */

	/* private */
	char *host, *chart, *key, *comm, *culprit;
	enum unit unit;
	struct clock clock;
	int64_t from, until;
};

/* Tells whether a moment goes on with the incident so far; then it is to be added. If not, another incident begins with it. */
bool incident_goes_on(const struct incident *incident, const struct moment *moment);
void incident_add(struct incident *incident, const struct moment *moment);
void incident_begin(struct incident *incident, const struct moment *moment);

/* "the same in 8 moments from 10:18:02.500 to 10:18:40.123: 24.3 s in all"; NULL: it is one moment. The caller frees it. */
char *incident_words(const struct incident *incident);

void incident_free(struct incident *incident);

#endif
