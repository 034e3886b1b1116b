/*
 * called: the calls that probe-log logged, by function: those in requests that matched beside the others, and the arguments and results
 * that tell both apart. A part of the model.
 *
 *	called_take(called, fields)			each `call` record
 *	for (i = 0; (function = called_function(called, i)); i++) ...
 *
 * A value tells classes apart if at least CALLED_OFTEN of the calls of one class have it, and at most CALLED_SELDOM of the other, each with
 * CALLED_LEAST calls or more. If an argument has more than CALLED_VALUES values, the rest are not looked at.
 */
#ifndef MODEL_CALLED_H
#define MODEL_CALLED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/logged.h"
#include "stream/fields.h"

#define CALLED_OFTEN 0.9
#define CALLED_SELDOM 0.1
enum { CALLED_LEAST = 3, CALLED_VALUES = 4096, CALLED_FUNCTIONS = 1024, CALLED_ARGUMENTS = 64 };

struct called;

struct called *called_new(void);
void called_free(struct called *called);

/* Takes a `call` record. 0; -1 after fail(). */
int called_take(struct called *called, const struct fields *fields);

struct called_value {
	char *name, *value;	      /* "post", "4711"; of the result "ret" */
	double share[LOGGED_CLASSES]; /* of the calls of the class */
};

struct called_function {
	char *trigger; /* NULL: all calls were logged, and count as LOGGED_MATCHED */
	char *name;    /* "feed:query_store" */
	uint64_t calls[LOGGED_CLASSES];
	double seconds[LOGGED_CLASSES]; /* that they took, together */
	ARRAY(struct called_value) values; /* that tell the classes apart, the surest first */
};

/* The function whose calls took the longest together first. NULL: there are no more. Good until the next record. */
const struct called_function *called_function(struct called *called, size_t index);

/* "feed:query_store: 10 calls in requests that matched, which took 60.2 ms in the mean; 3 in others, 612 us". The caller frees it. */
char *called_words(const struct called_function *function);

/* "post=4711 in all calls of those that matched, in none of the others". The caller frees it. */
char *called_value_words(const struct called_value *value);

#endif
