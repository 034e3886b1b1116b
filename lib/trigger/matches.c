#include "trigger/matches.h"

#include <stdlib.h>

void matches_add(struct matches *matches, int64_t ts, int32_t tid, const struct handed_requests *handed)
{
	struct match match = {.ts = ts, .tid = tid};

	if (tid >= 0)
		match.count = handed_requests_for(handed, tid, match.requests);
	if (matches->ring.count < MATCHES_MAX) {
		*ARRAY_ADD(&matches->ring) = match;
		return;
	}
	matches->ring.items[matches->oldest] = match;
	matches->oldest = (matches->oldest + 1) % MATCHES_MAX;
}

static bool is_of(const struct match *match, const struct sample *request)
{
	if (match->tid < 0 || match->tid == request->tid)
		return true;
	for (size_t i = 0; i < match->count; i++)
		if (match->requests[i] == request->number)
			return true;
	return false;
}

bool matches_in(const struct matches *matches, const struct sample *request)
{
	for (size_t i = 0; i < matches->ring.count; i++) {
		const struct match *match = &matches->ring.items[i];

		if (match->ts >= request->start && match->ts <= request->end && is_of(match, request))
			return true;
	}
	return false;
}

void matches_forget(struct matches *matches)
{
	matches->ring.count = matches->oldest = 0;
}

void matches_free(struct matches *matches)
{
	free(matches->ring.items);
}
