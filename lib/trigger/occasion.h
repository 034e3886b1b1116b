/*
 * occasion: what a trigger is evaluated for: a request, an exception, a signal, or a point in time. Private to lib/trigger.
 */
#ifndef TRIGGER_OCCASION_H
#define TRIGGER_OCCASION_H

#include "chart/sample.h"
#include "event/event.h"
#include "trigger/trigger.h"

struct occasion {
	enum trigger_on on; /* a request has begun or ended; ON_ALWAYS: a point in time */
	int64_t ts;
	const struct sample *request; /* NULL: the occasion is no request */
	const struct fields *record;  /* of a signal or an exception; else NULL */
	const struct events *events;  /* for the names of threads */
	const char *key; /* the key by which aggregates are kept; see occasion_key() */
};

/* Sets *value to the value of a field; VALUE_UNKNOWN: there is none. */
void occasion_value(const struct occasion *occasion, enum trigger_field field, const char *shown, char room[VALUE_ROOM], struct value *value);

/* The value of a field as a number; NAN: it is no number. */
double occasion_number(const struct occasion *occasion, enum trigger_field field, const char *shown);

/* Sets occasion->key, whose text is stored in `room`: chart and key, or an exception's name. */
void occasion_key(struct occasion *occasion, char room[VALUE_ROOM]);

#endif
