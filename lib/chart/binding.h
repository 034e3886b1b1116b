/*
 * binding: ties an event line of a chart definition to its event type, so that an event finds its charts at once, and its
 * fields without a look at their names.
 */
#ifndef CHART_BINDING_H
#define CHART_BINDING_H

#include "chart/chart.h"
#include "chart/chart_field.h"
#include "chart/traffic.h"

struct active_chart; /* the chart that a binding belongs to; the caller's */

struct binding {
	struct active_chart *chart;
	enum chart_role role;
	const struct event_type *type;
	struct chart_field key[CHART_KEYS_MAX], split[CHART_KEYS_MAX], show[CHART_SHOWS_MAX];
	int keys, splits, shows;
	struct chart_field failed; /* of a count; raw NULL: all events count */
	const struct event_field *flags; /* of a count: common_flags */
	const struct event_field *length, *tid; /* NULL: none; the event's own thread */
	const struct event_field *depth, *to;	/* NULL: none */
	const struct binding *instead[CHART_KEYS_MAX]; /* the lines that it stands in for; NULL behind the last */
	struct chart_field where; /* an event counts only if this is not zero; raw NULL: all count */
	bool whole;	/* of an end: it comes once for each start */
	struct binding_call { /* of a system call */
		enum call_use use; /* CALL_UNKNOWN: by its number */
		bool enters;
		const struct event_field *number, *arguments, *fd, *operation, *value, *result;
	} call;
	bool came;	/* its event came in this stream */
	uint64_t seen; /* events */
	const char *lacking; /* a field that the event does not have; NULL: none known */
};

/* -1 after fail(): an unknown form. */
int binding_make(struct binding *binding, struct events *events, const struct chart_event *event);

/* Notes a field that a raw event lacks. An event written by hand may leave out fields that are zero. */
void binding_check(struct binding *binding, const struct event *event);

/* Tells whether its key is the thread that waits. */
bool binding_is_by_thread(const struct chart_event *event);

/* Sets the key of an event; of a binding without key fields, its thread. */
void binding_key(const struct binding *binding, const struct field_world *world, const struct event *event,
		 int64_t key[CHART_KEYS_MAX]);
int32_t binding_tid(const struct binding *binding, const struct event *event);

/* The thread that caused a counted event: that of its tid field, else the thread that ran; -1 for an interrupt, which has nothing to do
 * with the thread that it hit. */
int32_t binding_cause(const struct binding *binding, const struct event *event);

/* The use of a system call, at its entry or return. */
enum call_use binding_use(const struct binding *binding, const struct field_world *world, struct traffic *traffic, const struct event *event);

/* The same; also sets the first three arguments: of a call with an event of its own, only those that chart/traffic.h needs. */
enum call_use binding_call(const struct binding *binding, const struct field_world *world, struct traffic *traffic, const struct event *event,
			   int64_t argument[3]);

/* The depth of the event; 0: none. Sets *to to the depth up to which it ends starts, which is the same unless the event has `to`. */
int64_t binding_depth(const struct binding *binding, const struct event *event, int64_t *to);

/* binding_split(): the values of the split fields, then zeros. binding_spell_split(): their text, "a,b" if there are several. */
void binding_split(const struct binding *binding, const struct field_world *world, const struct event *event,
		   int64_t id[CHART_KEYS_MAX]);
void binding_spell_split(const struct binding *binding, const struct field_world *world, const struct event *event,
			 char *text, size_t room);

/* Sets how each number of the key is spelled. */
void binding_spelling(const struct binding *binding, const struct event *event, uint8_t spelling[CHART_KEYS_MAX]);

/*
 * Spells the key fields that are text, and the show fields, " name=value name=value", as many as fit; `scratch` is any line. If some did not
 * fit, returns a text with all of them, which the caller frees; else NULL.
 */
char *binding_spell_show(const struct binding *binding, const struct field_world *world, const struct event *event,
			 const uint8_t spelling[CHART_KEYS_MAX], struct line *scratch, char *text, size_t room);

#endif
