/*
 * rating: rates functions by their critical blame (blame/algorithm.h) over the first requests, to choose those whose calls are logged from then
 * on. In the graph of a request each call is a node; the call around it waited for it, on whatever thread.
 *
 *	rating = rating_new(most)
 *	rating_call(rating, 69, "srv:lookup", start, end)	each call of request 69, in any order
 *	rating_request(rating, 69, start, end)		all its calls have come
 *	rating_best(rating, names)			after RATING_REQUESTS
 *	rating_free(rating)
 */
#ifndef LOG_RATING_H
#define LOG_RATING_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct rating;

enum { RATING_REQUESTS = 3, RATING_SPARE = 16 /* more than are wanted: some cost too much to be logged */ };

struct rated_names {
	ARRAY(char *) list; /* each the caller's; from the most blamed on */
	uint64_t most;	    /* how many are wanted */
};

struct rating *rating_new(uint64_t most);
void rating_free(struct rating *rating); /* NULL: nothing */

void rating_call(struct rating *rating, uint64_t request, const char *name, int64_t start, int64_t end);

/* Calls of this function are no longer logged, so it is none of the best. */
void rating_exclude(struct rating *rating, const char *name);

/* A request without calls does not count. Returns how many requests have been rated. */
unsigned rating_request(struct rating *rating, uint64_t request, int64_t start, int64_t end);

/* The most blamed over all requests, best first, with RATING_SPARE more than the most that are wanted. */
void rating_best(struct rating *rating, struct rated_names *names);

#endif
