/*
 * hits: the signals or exceptions that satisfied a trigger's IF, the newest of them, to tell which requests held one. Private to lib/trigger.
 */
#ifndef TRIGGER_HITS_H
#define TRIGGER_HITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "chart/sample.h"
#include "trigger/handed_requests.h"

enum { HITS_MAX = 4096 };

struct hit {
	int64_t ts;
	int32_t tid; /* of an exception; else -1 */
	size_t count;
	uint64_t requests[HANDED_MOST]; /* that the thread worked for, besides its own */
};

/* Empty when all zero. */
struct hits {
	ARRAY(struct hit) ring;
	size_t oldest;
};

/* `tid`: of an exception, that threw it; else -1. */
void hits_add(struct hits *hits, int64_t ts, int32_t tid, const struct handed_requests *handed);

/* Tells whether one came while the request was open: by its own thread, or by one that worked for it then. */
bool hits_in(const struct hits *hits, const struct sample *request);

void hits_forget(struct hits *hits);
void hits_free(struct hits *hits);

#endif
