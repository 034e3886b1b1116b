#include "export/perfetto_lines.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/display.h"

enum { ATTRIBUTES_MAX = 1 << 16, EVENT_VALUE = 30 };

struct attribute {
	char *path;
	uint64_t slices, counter; /* tracks; 0: not made yet */
	bool open;		  /* a slice has begun */
	int64_t since;
	UT_hash_handle hh;
};

struct drawn_span {
	char *key; /* "TRACE ID" */
	uint64_t track;
	UT_hash_handle hh;
};

struct time_lines {
	struct packets *packets;
	struct attribute *attributes;
	struct drawn_span *spans; /* of the current tree */
	uint64_t states, requests; /* tracks; 0: not made yet */
	uint64_t flows;
	int64_t last; /* the last time of a state */
};

/* Arrows between spans are numbered from here on, to differ from those of paths. */
#define FLOW_BASE (UINT64_C(1) << 40)

struct time_lines *time_lines_new(struct packets *packets)
{
	struct time_lines *lines = NEW(struct time_lines);

	lines->packets = packets;
	lines->flows = FLOW_BASE;
	return lines;
}

void time_lines_tree_over(struct time_lines *lines)
{
	struct drawn_span *span, *next;

	HASH_ITER(hh, lines->spans, span, next) {
		HASH_DEL(lines->spans, span);
		free(span->key);
		free(span);
	}
}

void time_lines_free(struct time_lines *lines)
{
	struct attribute *attribute, *next;

	HASH_ITER(hh, lines->attributes, attribute, next) {
		HASH_DEL(lines->attributes, attribute);
		free(attribute->path);
		free(attribute);
	}
	time_lines_tree_over(lines);
	free(lines);
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* NULL: there are too many. */
static struct attribute *get_attribute(struct time_lines *lines, char *path)
{
	struct attribute *attribute;

	HASH_FIND_STR(lines->attributes, path, attribute);
	if (attribute || HASH_COUNT(lines->attributes) >= ATTRIBUTES_MAX) {
		if (!attribute)
			export_leave_out(lines->packets->export, "there are too many attributes");
		free(path);
		return attribute;
	}
	attribute = NEW(struct attribute);
	attribute->path = path;
	HASH_ADD_KEYPTR(hh, lines->attributes, attribute->path, strlen(attribute->path), attribute);
	return attribute;
}

static uint64_t states_track(struct time_lines *lines)
{
	if (!lines->states)
		lines->states = packet_track(lines->packets, packet_root(lines->packets), "states", RANK_IN_TURN);
	return lines->states;
}

static int count_number(struct time_lines *lines, struct attribute *attribute, int64_t ts, int64_t number)
{
	size_t mark;

	if (!attribute->counter)
		attribute->counter = packet_counter(lines->packets, states_track(lines), attribute->path, UNIT_NONE);
	mark = packet_event(lines->packets, attribute->counter, ts, EVENT_COUNTER, NULL);
	proto_signed(&lines->packets->file, EVENT_VALUE, number);
	return packet_event_end(lines->packets, mark);
}

static int begin_slice(struct time_lines *lines, struct attribute *attribute, int64_t ts, const char *value)
{
	if (!attribute->slices)
		attribute->slices = packet_track(lines->packets, states_track(lines), attribute->path, RANK_IN_TURN);
	attribute->open = true;
	attribute->since = ts;
	return packet_event_end(lines->packets, packet_event(lines->packets, attribute->slices, ts, EVENT_BEGIN, value));
}

static int end_slice(struct time_lines *lines, struct attribute *attribute, int64_t ts)
{
	if (!attribute->open)
		return 0;
	attribute->open = false;
	return packet_slice_end(lines->packets, attribute->slices, ts > attribute->since ? ts : attribute->since);
}

/* Reads an integer, as the state history has it. */
static bool is_number(const char *text, int64_t *number)
{
	char *end;

	*number = strtoll(text, &end, 10);
	return *text && !*end && (*text == '-' || (*text >= '0' && *text <= '9'));
}

int time_lines_state(struct time_lines *lines, const struct fields *fields)
{
	char *value = fields_find(fields, "value") ? display_field(fields, "value") : NULL;
	struct attribute *attribute;
	int64_t ts, since, number;
	int status = 0, found = fields_time(fields, "ts", &ts), taken_back = fields_time(fields, "since", &since);

	if (found != 1 || taken_back < 0) {
		free(value);
		return found == 0 ? fail("a state record needs ts= as a time") : -1;
	}
	attribute = packet_has_place(lines->packets, ts) ? get_attribute(lines, display_field(fields, "path")) : NULL;
	lines->last = ts > lines->last ? ts : lines->last;
	if (attribute)
		status = end_slice(lines, attribute, taken_back ? since : ts);
	if (attribute && value && status == 0)
		status = is_number(value, &number) ? count_number(lines, attribute, ts, number) : begin_slice(lines, attribute, ts, value);
	free(value);
	return status;
}

int time_lines_end(struct time_lines *lines)
{
	for (struct attribute *attribute = lines->attributes; attribute; attribute = attribute->hh.next)
		if (end_slice(lines, attribute, lines->last) < 0)
			return -1;
	return 0;
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

static struct drawn_span *find_span(const struct time_lines *lines, const char *trace, const char *id)
{
	char *key = memory_format("%s %s", trace, id);
	struct drawn_span *span;

	HASH_FIND_STR(lines->spans, key, span);
	free(key);
	return span;
}

static void add_span(struct time_lines *lines, const char *trace, const char *id, uint64_t track)
{
	struct drawn_span *span = find_span(lines, trace, id);

	if (!span) {
		span = NEW(struct drawn_span);
		span->key = memory_format("%s %s", trace, id);
		HASH_ADD_KEYPTR(hh, lines->spans, span->key, strlen(span->key), span);
	}
	span->track = track;
}

/* Begins an arrow at the place where the parent called. */
static int call_from(struct time_lines *lines, const struct drawn_span *parent, int64_t ts)
{
	size_t mark = packet_event(lines->packets, parent->track, ts, EVENT_INSTANT, "calls");

	packet_flow(lines->packets, ++lines->flows, false);
	return packet_event_end(lines->packets, mark);
}

/* Spans of a service overlap, so each gets a track; the viewer shows tracks of one name as one. */
static int draw_span(struct time_lines *lines, const struct fields *fields, int64_t start, int64_t ts)
{
	char *trace = display_field(fields, "trace"), *id = display_field(fields, "id"), *parent = display_field(fields, "parent");
	char *service = display_field(fields, "service"), *host = display_field(fields, "host"), *name = display_field(fields, "name");
	char *row = memory_format("%s%s%s", *service ? service : "unknown", *host ? " on " : "", host);
	const struct drawn_span *caller = *parent ? find_span(lines, trace, parent) : NULL;
	static const char *const notes[] = {"kind", "peer", "sure", "candidates", "width", "bytes_in", "bytes_out"};
	int status = caller ? call_from(lines, caller, start) : 0;
	uint64_t track;
	size_t mark;

	if (!lines->requests)
		lines->requests = packet_track(lines->packets, packet_root(lines->packets), "requests", RANK_IN_TURN);
	track = packet_track(lines->packets, lines->requests, row, RANK_IN_TURN);
	add_span(lines, trace, id, track);
	mark = packet_event(lines->packets, track, start, EVENT_BEGIN, *name ? name : row);
	if (caller)
		packet_flow(lines->packets, lines->flows, true);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		char *note = display_field(fields, notes[i]);

		packet_note(lines->packets, notes[i], note);
		free(note);
	}
	if (packet_event_end(lines->packets, mark) < 0 || packet_slice_end(lines->packets, track, ts) < 0)
		status = -1;
	free(row);
	free(name);
	free(host);
	free(service);
	free(parent);
	free(id);
	free(trace);
	return status;
}

int time_lines_span(struct time_lines *lines, const struct fields *fields)
{
	int64_t ts, start;

	if (fields_time(fields, "ts", &ts) != 1 || fields_time(fields, "start", &start) != 1)
		return fail("a span record needs start= and ts= as times");
	if (!packet_has_place(lines->packets, start))
		return 0;
	return draw_span(lines, fields, start, ts > start ? ts : start);
}
