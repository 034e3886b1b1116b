#include "clock/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "event/event.h"
#include "event/spell.h"
#include "clock/merged.h"
#include "span/requests.h"

enum {
	TURN = 4096,	/* records of a descriptor at a time, so that one host does not keep others waiting */
	STEPS_MOST = 64 /* a clock that is set back more often orders nothing */
};

/* Tells whether records of the kind are of a graph, or made from one: they refer to each other by numbers, and have times under many keys. */
static bool is_made(enum kind kind)
{
	return kind == KIND_GRAPH || kind == KIND_NODE || kind == KIND_EDGE || kind == KIND_PATH || kind == KIND_BLAME || kind == KIND_DIFF;
}

/* Tells whether records of the kind are about their stream alone. */
static bool is_dropped(enum kind kind)
{
	return kind == KIND_FORMAT || kind == KIND_END || kind == KIND_USAGE || kind == KIND_TICK || kind == KIND_RECORDER;
}

/* The length of the name in "NAME=FILE"; 0: the operand is a file alone. */
static size_t name_length(const char *operand)
{
	size_t length = strcspn(operand, "=/");

	return operand[length] == '=' && length ? length : 0;
}

char *feed_file(const char *operand)
{
	size_t length = name_length(operand);

	return (char *)operand + (length ? length + 1 : 0);
}

static int take_stream(struct feed *feed, const struct record *record)
{
	static const char *const kept[] = {"kernel", "machine", "cpus", "boot"};
	const struct fields *fields = stream_fields(feed->stream, record);
	struct line about = {0};
	char *host;

	if (!fields)
		return -1;
	if (feed->begun)
		return stream_fail(feed->stream, "it holds a stream behind another; give each as a file");
	line_begin(&about, "");
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		char *value = fields_copy(fields, kept[i]);

		if (value)
			line_text(&about, kept[i], value);
		free(value);
	}
	feed->about = about.text;
	feed->clock = fields_copy(fields, "clock");
	feed->wall = fields_copy(fields, "wall");
	host = fields_copy(fields, "host");
	if (host && !feed->named) {
		free(feed->name);
		feed->name = host;
	} else {
		free(host);
	}
	return 0;
}

static int give(struct feed *feed, enum kind kind, const char *text, size_t length)
{
	struct held held = {clock_steps_newest(feed->clock_steps), (uint32_t)length, kind};

	return feed->take(feed->context, &held, text);
}

static int take_time(struct feed *feed, int64_t ts)
{
	clock_steps_take(feed->clock_steps, ts);
	if (clock_steps_count(feed->clock_steps) > STEPS_MOST)
		return stream_fail(feed->stream, "time goes back here, and did %d times before: these records are in no order of time", STEPS_MOST);
	return 0;
}

static int take_event(struct feed *feed, const struct record *record)
{
	struct event event;
	int64_t place;

	if (events_read(feed->events, record, &event) < 0)
		return -1;
	if (take_time(feed, event.ts) < 0)
		return -1;
	place = clock_steps_shift(feed->clock_steps, event.ts, clock_steps_newest(feed->clock_steps));
	feed->first_event = place < feed->first_event ? place : feed->first_event;
	feed->last_event = feed->newest = clock_steps_newest(feed->clock_steps);
	if (!record->packed)
		return give(feed, KIND_EVENT, record->text, record->length);
	event_spell(&event, events_comm(feed->events, event.tid), &feed->line);
	return give(feed, KIND_EVENT, feed->line.text, feed->line.length);
}

static void take_format(struct feed *feed, const struct record *record)
{
	const char *wait = requests_wait(record);

	if (wait && feed->waits.length)
		line_append(&feed->waits, ",", 1);
	if (wait)
		line_append(&feed->waits, wait, strlen(wait));
}

/* A tick says that every event before its time has come. */
static int take_tick(struct feed *feed, const struct record *record)
{
	const struct fields *fields = stream_fields(feed->stream, record);
	int64_t ts;

	if (!fields || fields_time(fields, "ts", &ts) < 0)
		return fields ? stream_fail(feed->stream, "%s", fail_text()) : -1;
	ts = clock_steps_shift(feed->clock_steps, ts, clock_steps_newest(feed->clock_steps));
	feed->newest = ts > feed->newest ? ts : feed->newest;
	return 0;
}

static int take_other(struct feed *feed, const struct record *record)
{
	const char *const *keys = merged_times(record->kind);
	const struct fields *fields;
	int64_t ts;

	if (keys) {
		fields = stream_fields(feed->stream, record);
		if (!fields)
			return -1;
		if (fields_time(fields, keys[0], &ts) < 0)
			return stream_fail(feed->stream, "%s", fail_text());
	}
	return give(feed, record->kind, record->text, record->length);
}

static int record_taken(struct feed *feed, const struct record *record)
{
	int status;

	if (is_made(record->kind))
		return stream_fail(feed->stream, "it has graphs already; merge streams of events");
	if (record->kind == KIND_FORMAT)
		take_format(feed, record);
	if (record->kind == KIND_TICK)
		return take_tick(feed, record);
	if (is_dropped(record->kind))
		return 0;
	status = record->kind == KIND_EVENT ? take_event(feed, record) : take_other(feed, record);
	return status == 0 && flows_reads(record->kind) ? flows_record(feed->flows, record) : status;
}

static int record_seen(void *context, const struct record *record)
{
	struct feed *feed = context;
	int status = record->kind == KIND_STREAM ? take_stream(feed, record) : record_taken(feed, record);

	feed->begun = true;
	if (feed->left && --feed->left == 0)
		stream_pause(feed->stream);
	return status;
}

static int nothing_there(void *context)
{
	struct feed *feed = context;

	stream_pause(feed->stream);
	return 0;
}

struct feed *feed_open(const char *operand, int fd, feed_taker *take, void *context)
{
	struct feed *feed = NEW(struct feed);
	size_t length = name_length(operand);
	const char *slash;

	feed->file = feed_file(operand);
	feed->named = length;
	slash = strrchr(feed->file, '/');
	feed->name = length ? memory_text(operand, length) : memory_format("%s", slash ? slash + 1 : feed->file);
	feed->clock_steps = clock_steps_new();
	feed->last_event = feed->newest = INT64_MIN;
	feed->first_event = INT64_MAX;
	feed->take = take;
	feed->context = context;
	feed->pauses = fd >= 0;
	feed->stream = fd >= 0 ? stream_attach(fd, feed->file) : stream_open(&feed->file, 1);
	if (!feed->stream) {
		feed_free(feed);
		return NULL;
	}
	feed->events = events_new(feed->stream);
	feed->flows = flows_new(feed->stream, feed->events);
	flows_clock_steps(feed->flows, feed->clock_steps);
	return feed;
}

void feed_free(struct feed *feed)
{
	if (feed->flows)
		flows_free(feed->flows);
	if (feed->events)
		events_free(feed->events);
	clock_steps_free(feed->clock_steps);
	line_free(&feed->line);
	line_free(&feed->waits);
	free(feed->name);
	free(feed->about);
	free(feed->clock);
	free(feed->wall);
	free(feed);
}

int feed_run(struct feed *feed)
{
	struct handlers handlers = {0};
	int status;

	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = record_seen;
	if (feed->pauses) {
		handlers.idle = nothing_there;
		feed->left = TURN;
	}
	status = stream_run(feed->stream, &handlers, feed);
	feed->more = feed->pauses && status > 0 && feed->left == 0;
	feed->incomplete = stream_incomplete(feed->stream);
	feed->lost = stream_lost(feed->stream);
	return status;
}

int feed_close(struct feed *feed)
{
	struct stream *stream = feed->stream;

	feed->stream = NULL;
	return stream_close(stream) == 1 ? -1 : 0;
}
