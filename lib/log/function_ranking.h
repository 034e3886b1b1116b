/*
 * function_ranking: rates functions by their critical blame (blame/algorithm.h) over the first requests, to choose those to log from then
 * on. In the graph of a request each call is a node; the call around it waited for it, on whatever thread.
 *
 *	ranking = function_ranking_new(most)
 *	function_ranking_call(ranking, 69, "srv:lookup", start, end)	each call of request 69, in any order
 *	function_ranking_request(ranking, 69, start, end)		all its calls have come
 *	function_ranking_best(ranking, names)			after FUNCTION_RANKING_REQUESTS
 *	function_ranking_free(ranking)
 */
#ifndef LOG_FUNCTION_RANKING_H
#define LOG_FUNCTION_RANKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct function_ranking;

enum { FUNCTION_RANKING_REQUESTS = 3, FUNCTION_RANKING_SPARE = 16 /* returned beyond those wanted: some cost too much to be logged */ };

struct ranked_names {
	ARRAY(char *) list; /* the most blamed first; the caller frees each */
	uint64_t most;	    /* how many of them are wanted */
};

struct function_ranking *function_ranking_new(uint64_t most);
void function_ranking_free(struct function_ranking *ranking); /* NULL: nothing */

void function_ranking_call(struct function_ranking *ranking, uint64_t request, const char *name, int64_t start, int64_t end);

/* Excludes a function from the best, because its calls are no longer logged. */
void function_ranking_exclude(struct function_ranking *ranking, const char *name);

/* Rates a request whose calls have all come. A request without calls does not count. Returns how many requests have been rated. */
unsigned function_ranking_request(struct function_ranking *ranking, uint64_t request, int64_t start, int64_t end);

/* The most blamed functions over all requests, the most blamed first: up to FUNCTION_RANKING_SPARE more than are wanted. */
void function_ranking_best(struct function_ranking *ranking, struct ranked_names *names);

#endif
