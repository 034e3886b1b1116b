/*
 * requests: finds the charts of the requests of programs, for the chart `requests` (trace-collect -c requests -p ...).
 *
 * The files charts/requests/ *.requests have a line of logfmt for each sort of request:
 *
 *	request program=NAME[,NAME...] calls=FUNCTION[(EXPR,...)]
 *	request program=NAME[,NAME...] begin=FUNCTION[(EXPR,...)] end=FUNCTION[(EXPR,...)] [key=FIELD,...] [where=FIELD] [show=FIELD,...]
 *
 * NAME is the name of the program's file, and may be a pattern. The first line counts that names the program, and
 * whose functions and arguments the program has. If there is none, and the program serves connections, a request is a turn on a connection:
 * the chart `turn`.
 */
#ifndef CHART_REQUESTS_H
#define CHART_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "chart/chart.h"

struct lookup;

/* The processes whose requests are wanted. */
struct requests_of {
	const int32_t *pids; /* each with its children */
	size_t pid_count;
	const char *const *names; /* of processes, as trace-collect -p takes them */
	size_t name_count;
	const char *command; /* a command that is yet to be started; NULL: none */
};

struct requests_found {
	ARRAY(struct chart *) charts; /* the caller's */
};

/*
 * Adds the charts of the programs of these processes, and says for each program what its requests are. 0; -1 after fail(): no request is known,
 * or the table is faulty.
 */
typedef void requests_say(const char *format, ...);
int requests_find(const struct requests_of *of, struct lookup *lookup, requests_say *say, struct requests_found *found);

#endif
