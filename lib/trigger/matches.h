/*
 * matches: keeps the newest signals or exceptions that satisfied a trigger's IF, to tell whether a request had one. Private to lib/trigger.
 */
#ifndef TRIGGER_MATCHES_H
#define TRIGGER_MATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "chart/sample.h"
#include "trigger/handed_requests.h"

enum { MATCHES_MAX = 4096 };

struct match {
	int64_t ts;
	int32_t tid; /* the thread that threw an exception; -1: a signal */
	size_t count;
	uint64_t requests[HANDED_MOST]; /* requests of other threads that this thread worked for */
};

/* Empty when all zero. */
struct matches {
	ARRAY(struct match) ring;
	size_t oldest;
};

/* `tid`: the thread that threw an exception; -1 for a signal. */
void matches_add(struct matches *matches, int64_t ts, int32_t tid, const struct handed_requests *handed);

/* Tells whether, while the request was open, a signal came, or the request's thread or a thread that worked for it threw an exception. */
bool matches_in(const struct matches *matches, const struct sample *request);

void matches_forget(struct matches *matches);
void matches_free(struct matches *matches);

#endif
