#include "trigger/hits.h"

#include <stdlib.h>

void hits_add(struct hits *hits, int64_t ts, int32_t tid, const struct handed_requests *handed)
{
	struct hit hit = {.ts = ts, .tid = tid};

	if (tid >= 0)
		hit.count = handed_requests_for(handed, tid, hit.requests);
	if (hits->ring.count < HITS_MAX) {
		*ARRAY_ADD(&hits->ring) = hit;
		return;
	}
	hits->ring.items[hits->oldest] = hit;
	hits->oldest = (hits->oldest + 1) % HITS_MAX;
}

static bool is_of(const struct hit *hit, const struct sample *request)
{
	if (hit->tid < 0 || hit->tid == request->tid)
		return true;
	for (size_t i = 0; i < hit->count; i++)
		if (hit->requests[i] == request->number)
			return true;
	return false;
}

bool hits_in(const struct hits *hits, const struct sample *request)
{
	for (size_t i = 0; i < hits->ring.count; i++) {
		const struct hit *hit = &hits->ring.items[i];

		if (hit->ts >= request->start && hit->ts <= request->end && is_of(hit, request))
			return true;
	}
	return false;
}

void hits_forget(struct hits *hits)
{
	hits->ring.count = hits->oldest = 0;
}

void hits_free(struct hits *hits)
{
	free(hits->ring.items);
}
