/*
 * logged_calls: the calls that probe-log logged, by function: those in requests that matched beside the others, and the arguments and results
 * that tell both apart. A part of the model.
 *
 *	logged_calls_take(called, fields)			each `call` record
 *	for (i = 0; (function = logged_calls_function(called, i)); i++) ...
 *
 * A value tells classes apart if at least LOGGED_CALLS_OFTEN of the calls of one class have it, and at most LOGGED_CALLS_SELDOM of the other, each with
 * LOGGED_CALLS_LEAST calls or more. If an argument has more than LOGGED_CALLS_VALUES values, the rest are not looked at.
 */
#ifndef MODEL_LOGGED_CALLS_H
#define MODEL_LOGGED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/logged_requests.h"
#include "stream/fields.h"

#define LOGGED_CALLS_OFTEN 0.9
#define LOGGED_CALLS_SELDOM 0.1
enum { LOGGED_CALLS_LEAST = 3, LOGGED_CALLS_VALUES = 4096, LOGGED_CALLS_FUNCTIONS = 1024, LOGGED_CALLS_ARGUMENTS = 64 };

struct logged_calls;

struct logged_calls *logged_calls_new(void);
void logged_calls_free(struct logged_calls *called);

/* Takes a `call` record. 0; -1 after fail(). */
int logged_calls_take(struct logged_calls *called, const struct fields *fields);

struct logged_value {
	char *name, *value;	      /* "post", "4711"; of the result "ret" */
	double share[LOGGED_CLASSES]; /* of the calls of the class */
};

struct logged_function {
	char *trigger; /* NULL: all calls were logged, and count as LOGGED_MATCHED */
	char *name;    /* "feed:query_store" */
	uint64_t calls[LOGGED_CLASSES];
	double seconds[LOGGED_CLASSES]; /* that they took, together */
	ARRAY(struct logged_value) values; /* that tell the classes apart, the surest first */
};

/* The function whose calls took the longest together first. NULL: there are no more. Good until the next record. */
const struct logged_function *logged_calls_function(struct logged_calls *called, size_t index);

/* "feed:query_store: 10 calls in requests that matched, which took 60.2 ms in the mean; 3 in others, 612 us". The caller frees it. */
char *logged_calls_words(const struct logged_function *function);

/* "post=4711 in all calls of those that matched, in none of the others". The caller frees it. */
char *logged_calls_value_words(const struct logged_value *value);

#endif
