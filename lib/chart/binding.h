/*
 * binding: an event line of a chart definition tied to its event type, so that an event finds at once the charts that
 * start or end with it, and its fields without a look at their names.
 */
#ifndef CHART_BINDING_H
#define CHART_BINDING_H

#include "chart/chart.h"
#include "chart/reading.h"

struct measured; /* the chart that it belongs to; the caller's */

struct binding {
	struct measured *chart;
	enum chart_role role;
	const struct event_type *type;
	struct reading key[CHART_KEYS_MAX], split[CHART_KEYS_MAX], show[CHART_KEYS_MAX];
	int keys, splits, shows;
	struct reading failed; /* of a count; field NULL: all events count */
	const struct event_field *flags; /* of a count: common_flags */
	const struct event_field *length, *tid; /* NULL: none; the event's own thread */
	const struct event_field *depth, *to;	/* NULL: none */
	const struct binding *instead; /* what it stands in for; NULL: nothing */
	bool whole;	/* of an end: that of a whole start */
	bool came;	/* in this stream */
	uint64_t seen; /* events */
	const char *lacking; /* a field that the event does not have; NULL: none known */
};

/* -1 after fail(): an unknown reading. */
int binding_make(struct binding *binding, struct events *events, const struct chart_event *event);

/* Looks whether an event has all fields that are named; of a raw one only, for what is written by hand may leave out what is zero. */
void binding_check(struct binding *binding, const struct event *event);

/* Whether its key is the thread that waits. */
bool binding_is_by_thread(const struct chart_event *event);

/* The key of an event; of a binding without key fields, its thread. */
void binding_key(const struct binding *binding, const struct reading_world *world, const struct event *event,
		 int64_t key[CHART_KEYS_MAX]);
int32_t binding_tid(const struct binding *binding, const struct event *event);

/* Whose doing a counted event was: the thread in its tid field, else the one in whose context it happened; -1 for an interrupt, which
 * has nothing to do with the thread that it hit. */
int32_t binding_cause(const struct binding *binding, const struct event *event);

/* The depth that the event tells; `*to`: up to where it ends starts, which is the same where it tells nothing else. 0: none. */
int64_t binding_depth(const struct binding *binding, const struct event *event, int64_t *to);

/* The values of the split fields, with zeros behind them; and their text, "a,b" if there are several. */
void binding_split(const struct binding *binding, const struct reading_world *world, const struct event *event,
		   int64_t id[CHART_KEYS_MAX]);
void binding_spell_split(const struct binding *binding, const struct reading_world *world, const struct event *event,
			 char *text, size_t room);

/* How each number of the key is spelled. */
void binding_spelling(const struct binding *binding, const struct event *event, uint8_t spelling[CHART_KEYS_MAX]);

/* The key fields that are text, and the show fields, as " name=value name=value", as many as fit; `scratch` is any line. */
void binding_spell_show(const struct binding *binding, const struct reading_world *world, const struct event *event,
			const uint8_t spelling[CHART_KEYS_MAX], struct line *scratch, char *text, size_t room);

#endif
