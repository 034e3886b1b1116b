/*
 * run_requests: decides which of the intervals that charts measure are requests. These are the intervals of the user's charts (trigger-filter
 * -c), or else of the charts that the collector was asked for. If the collector was asked only for functions, the outermost call of a thread
 * is a request; calls in it belong to its work. Each call of a function that a trigger names is a request, too.
 */
#ifndef TRIGGER_RUN_REQUESTS_H
#define TRIGGER_RUN_REQUESTS_H

#include <stdbool.h>

#include "chart/chart.h"
#include "chart/sample.h"
#include "trigger/trigger.h"

struct run_requests;

/* `own`: the user named charts. */
struct run_requests *run_requests_new(bool own);
void run_requests_free(struct run_requests *requests);

/* Takes a chart of the stream. */
void run_requests_chart(struct run_requests *requests, const struct chart *chart);

/* An interval begins. Tells whether it is a request; `named`: a trigger names its chart. */
bool run_requests_begin(struct run_requests *requests, const struct sample *begun, bool named);

/* The interval has ended, or its end will not be seen. */
void run_requests_gone(struct run_requests *requests, const struct sample *gone);

/* Another stream begins. */
void run_requests_forget(struct run_requests *requests);

#endif
