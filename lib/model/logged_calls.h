/*
 * logged_calls: the calls that probe-log logged, by function: calls in requests that matched compared with calls in others, and the arguments and
 * results that tell these two classes apart. A part of the model.
 *
 *	logged_calls_take(called, fields)			for each `call` record
 *	for (i = 0; (function = logged_calls_function(called, i)); i++) ...
 *
 * A value tells the classes apart if at least LOGGED_CALLS_OFTEN of the calls of one class have it, at most LOGGED_CALLS_SELDOM of those of the
 * other, and each class has LOGGED_CALLS_LEAST calls or more. Of an argument, only the first LOGGED_CALLS_VALUES distinct values are counted.
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

/* Takes a `call` record. Returns 0; -1 after fail(). */
int logged_calls_take(struct logged_calls *called, const struct fields *fields);

struct logged_value {
	char *name, *value;	      /* "post", "4711"; the name of the result is "ret" */
	double share[LOGGED_CLASSES]; /* share of the calls of each class */
};

struct logged_function {
	char *trigger; /* NULL: all calls were logged, and count as LOGGED_MATCHED */
	char *name;    /* "feed:query_store" */
	uint64_t calls[LOGGED_CLASSES];
	double seconds[LOGGED_CLASSES]; /* their total duration */
	ARRAY(struct logged_value) values; /* that tell the classes apart, the surest first */
};

/* The functions, that with the longest total duration first. NULL: there are no more. Valid until the next record. */
const struct logged_function *logged_calls_function(struct logged_calls *called, size_t index);

/* "feed:query_store: 10 calls in requests that matched, which took 60.2 ms in the mean; no call in others". The caller frees it. */
char *logged_calls_words(const struct logged_function *function);

/* "post=4711 in all calls of requests that matched, in no call of others". The caller frees it. */
char *logged_calls_value_words(const struct logged_value *value);

#endif
