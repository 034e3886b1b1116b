/*
 * occasion: a request, an exception, a signal, or a moment, for which a trigger is evaluated. Private to lib/trigger.
 */
#ifndef TRIGGER_OCCASION_H
#define TRIGGER_OCCASION_H

#include "chart/sample.h"
#include "event/event.h"
#include "trigger/trigger.h"

struct occasion {
	enum trigger_on on; /* of requests: whether it has begun or ended; ON_ALWAYS: a moment */
	int64_t ts;
	const struct sample *request; /* NULL: it is none */
	const struct fields *record;  /* of a signal or an exception; else NULL */
	const struct events *events;  /* names of threads */
	const char *key; /* aggregates are kept by this; see occasion_key() */
};

/* The value of a field; unknown if there is none. */
void occasion_value(const struct occasion *occasion, enum trigger_field field, const char *shown, char room[VALUE_ROOM], struct value *value);

/* The same as a number; NAN: it is none. */
double occasion_number(const struct occasion *occasion, enum trigger_field field, const char *shown);

/* Sets the key, in `room`: chart and key, or an exception's name. */
void occasion_key(struct occasion *occasion, char room[VALUE_ROOM]);

#endif
