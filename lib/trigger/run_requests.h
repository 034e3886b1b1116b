/*
 * run_requests: which of the things that charts measure are requests. The user says: charts of his own (trigger-filter -c), else those that the
 * collector was asked for. If it was asked for none, but for functions, a call is a request that is its thread's outermost: what it calls
 * is a part of its work. So is each call of a function that a trigger names.
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

/* A chart of the stream. */
void run_requests_chart(struct run_requests *requests, const struct chart *chart);

/* Something begins. Tells whether it is a request; `named`: a trigger names its chart. */
bool run_requests_begin(struct run_requests *requests, const struct sample *begun, bool named);

/* It has ended, or its end will not be seen. */
void run_requests_gone(struct run_requests *requests, const struct sample *gone);

/* Another stream begins. */
void run_requests_forget(struct run_requests *requests);

#endif
