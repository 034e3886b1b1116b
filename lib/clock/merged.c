#include "clock/merged.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

struct merged {
	struct stream *stream;
	const struct feed *last; /* the host of the current records */
	ARRAY(const struct feed *) told; /* the hosts whose first `host` record was written */
	struct line line;
};

const char *const *merged_times(enum kind kind)
{
	static const char *const keys[KINDS][4] = {
		[KIND_EVENT] = {"ts"}, [KIND_TASK] = {"ts", "read"}, [KIND_LOST] = {"ts", "from"}, [KIND_SAMPLE] = {"ts", "start"},
		[KIND_LIMITS] = {"ts", "since"}, [KIND_SIGNAL] = {"ts", "start", "sign_ts"}, [KIND_FILE] = {"ts"}, [KIND_QUOTA] = {"ts", "since"},
		[KIND_TRACED] = {"ts", "seen"}, [KIND_OPEN] = {"ts", "start"}, [KIND_SHED] = {"ts"}, [KIND_TRIGGER] = {"ts"},
		[KIND_REQUEST] = {"ts", "start"}, [KIND_EXCEPTION] = {"ts"}, [KIND_STATE] = {"ts", "since"}, [KIND_SOCKET] = {"ts", "from"},
		[KIND_SPAN] = {"ts", "start"}, [KIND_WINDOW] = {"to", "from"}, [KIND_SUMMARY] = {"max_ts"}, [KIND_CALL] = {"ts", "start"},
		[KIND_RUN] = {"ts"}, [KIND_ASYNC] = {"ts"}, [KIND_GAP] = {"ts", "until"}, [KIND_STEP] = {"ts"},
	};

	return keys[kind][0] ? keys[kind] : NULL;
}

int merged_host(struct hosts *hosts, const struct feed *feed, const struct flows *flows, int64_t first, const int64_t *wall)
{
	int host = hosts_add(hosts, feed->name);

	if (host == HOST_NONE)
		return HOST_NONE;
	hosts_flows(hosts, host, flows);
	hosts_clock_steps(hosts, host, feed->clock_steps);
	if (feed->first_event <= feed->last_event)
		hosts_times(hosts, host, first > feed->first_event ? first : feed->first_event, feed->last_event);
	if (wall)
		hosts_wall(hosts, host, *wall);
	return host;
}

bool merged_wall(const struct feed *feed, int64_t *wall)
{
	return feed->wall && number_time(feed->wall, strlen(feed->wall), wall) == 0;
}

static char *note_steps(const struct hosts *hosts, int host, const struct feed *feed)
{
	size_t steps = hosts_steps(hosts, host);

	return steps ? memory_format("no one line fits the clock of host %s: it, or that of the host it is compared with, was "
				     "stepped or ran differently; %zu lines are taken, one behind the other", feed->name, steps + 1)
		     : NULL;
}

static char *back(const struct feed *feed, const char *rest)
{
	size_t steps = clock_steps_count(feed->clock_steps);
	char room[NUMBER_ROOM];

	if (!steps)
		return NULL;
	number_human_duration(room, clock_steps_back(feed->clock_steps, steps - 1));
	return steps == 1 ? memory_format("host %s: its clock was set back, by %s or more; %s", feed->name, room, rest)
			  : memory_format("host %s: its clock was set back %zu times, at last by %s or more; %s", feed->name, steps, room, rest);
}

static char *note_back(const struct hosts *hosts, int host, const struct feed *feed)
{
	return hosts_is_unknown(hosts, host) ? NULL : back(feed, "by how much is found from its connections, before and behind");
}

static char *note_reference(const struct hosts *hosts, int host, const struct feed *feed)
{
	return hosts_is_reference(hosts, host) ? back(feed, "it is the reference, so all times behind that may be wrong by as much") : NULL;
}

static char *note_lost(const struct hosts *hosts, int host, const struct feed *feed)
{
	return hosts_is_unknown(hosts, host) && !hosts_is_reference(hosts, host)
		       ? back(feed, "too few bytes went both ways before or behind that, so its times there may be wrong by as much")
		       : NULL;
}

static char *note_guess(const struct hosts *hosts, int host, const struct feed *feed)
{
	return hosts_is_guess(hosts, host)
		       ? memory_format("host %s: no connection to the others carried bytes both ways, or none is seen from "
				       "both sides; it is placed by %s", feed->name,
				       feed->by_arrival ? "when its records came"
				       : feed->wall	? "the wall clocks, whose error nobody knows"
							: "nothing: it has no wall clock")
		       : NULL;
}

char *merged_note(const struct hosts *hosts, int host, const struct feed *feed, int note)
{
	static char *(*const notes[MERGED_NOTES])(const struct hosts *, int, const struct feed *) = {
		note_steps, note_back, note_reference, note_lost, note_guess};

	return notes[note](hosts, host, feed);
}

struct merged *merged_new(struct stream *stream)
{
	struct merged *merged = NEW(struct merged);

	merged->stream = stream;
	return merged;
}

void merged_free(struct merged *merged)
{
	free(merged->told.items);
	line_free(&merged->line);
	free(merged);
}

int merged_begin(struct merged *merged, const struct feed *reference, const struct feed *only)
{
	struct line *line = &merged->line;

	line_begin(line, "stream");
	line_integer(line, "version", STREAM_VERSION);
	if (only) {
		merged->last = only;
		line_text(line, "host", only->name);
		if (only->about)
			line_append(line, only->about, strlen(only->about));
	}
	if (reference->clock)
		line_text(line, "clock", reference->clock);
	if (reference->wall)
		line_text(line, "wall", reference->wall);
	return stream_write_line(merged->stream, line);
}

/* Writes a `host` record if the host changes. The first one of a host has all that is known of it. */
static int write_host(struct merged *merged, const struct feed *feed)
{
	bool told = false;

	if (merged->last == feed)
		return 0;
	merged->last = feed;
	for (size_t i = 0; i < merged->told.count; i++)
		told |= merged->told.items[i] == feed;
	line_begin(&merged->line, "host");
	line_text(&merged->line, "name", feed->name);
	if (!told) {
		*ARRAY_ADD(&merged->told) = feed;
		if (feed->about)
			line_append(&merged->line, feed->about, strlen(feed->about));
		if (feed->waits.length)
			line_text(&merged->line, "waits", feed->waits.text);
	}
	return stream_write_line(merged->stream, &merged->line);
}

static bool is_called(const struct field *field, const char *key)
{
	return strlen(key) == field->key_length && !memcmp(key, field->key, field->key_length);
}

static bool is_among(const struct field *field, const char *const *keys)
{
	for (; *keys; keys++)
		if (is_called(field, *keys))
			return true;
	return false;
}

/* Makes the record's line, with its times by the reference's clock. An event's own fields are behind its name. -1 after fail(). */
static int rewrite(struct line *line, const struct hosts *hosts, int host, const struct feed *feed, const struct held *held,
		   const char *text, int64_t floor)
{
	static const char *const of_swap[] = {"since", NULL}; /* the event's own time, in ns (source/swapped.h) */
	const char *const *keys = merged_times(held->kind);
	const char *from = text;
	struct fields fields;
	bool own = false;

	line->length = 0;
	if (!keys) {
		line_append(line, text, held->length);
		return 0;
	}
	if (fields_parse(&fields, text, held->length) < 0)
		return -1;
	for (int i = 0; i < fields.count; i++) {
		const struct field *field = &fields.item[i];
		char number[NUMBER_ROOM];
		int64_t ts = 0;

		if (held->kind == KIND_EVENT && is_called(field, "name")) {
			if (!fields_is(&fields, "name", "swap:out"))
				break;
			keys = of_swap;
			own = true;
		}
		if (!is_among(field, keys) || (own ? number_integer : number_time)(field->value, field->value_length, &ts) < 0)
			continue;
		ts = hosts_map(hosts, host, clock_steps_shift(feed->clock_steps, ts, held->place));
		if (held->kind == KIND_EVENT && !own && ts < floor)
			ts = floor;
		line_append(line, from, (size_t)(field->value - from));
		line_append(line, number, own ? number_spell_integer(number, ts) : number_spell_time(number, ts));
		from = field->value + field->value_length;
	}
	line_append(line, from, (size_t)(text + held->length - from));
	return 0;
}

int merged_record(struct merged *merged, const struct hosts *hosts, int host, const struct feed *feed, const struct held *held,
		  const char *text, int64_t floor)
{
	if (write_host(merged, feed) < 0 || rewrite(&merged->line, hosts, host, feed, held, text, floor) < 0)
		return -1;
	return stream_write_line(merged->stream, &merged->line);
}

int merged_line(struct merged *merged, const struct feed *feed, const struct line *line)
{
	return write_host(merged, feed) < 0 ? -1 : stream_write_line(merged->stream, line);
}
