/*
 * complaint: what a measure leaves behind at the end: sentences for the user, and the limits that it learnt.
 */
#ifndef CHART_COMPLAINT_H
#define CHART_COMPLAINT_H

#include "chart/measure.h"

/*
 * Says sentence by sentence what a user should know: charts whose events never came, that nothing was charted or judged, bounds that
 * were reached.
 */
void measure_complaints(const struct measure *measure, void (*say)(const char *format, ...));

/* Puts the limits of all series, of the last machine, into a book. */
void measure_save(const struct measure *measure, struct limits_book *book);

#endif
