#include "clock/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "clock/hosts.h"
#include "event/event.h"
#include "event/spell.h"
#include "span/requests.h"

/* A clock that goes back by more was set back; text of some tools is a little out of order. */
#define BACK_MOST NSEC_PER_SEC
/* Less is no step: events of several CPUs may be so much out of order. */
#define BACK_LEAST (NSEC_PER_SEC / 1000)

struct input {
	const char *file, *given; /* given: the host's name; NULL: as the stream has it */
	size_t given_length;
	int host;
	struct stream *stream;
	struct events *events;
	struct flows *flows;
	FILE *spool;
	struct line line;
	int64_t last; /* the latest time so far */
	int64_t back; /* how far the time went back at most, if that was a step */
	int64_t first_event, last_event;
	char *about; /* keys of its `stream` record: " kernel=... cpus=2"; NULL: it has none */
	char *clock, *wall;
	struct line waits; /* the calls for several descriptors whose event formats the stream has: "poll,select" */
	bool begun, incomplete;
	uint64_t lost;
	/* while it is written: */
	struct head {
		int64_t place; /* a time of the host: where in the order the record stands */
		uint32_t length;
		uint32_t kind;
	} head;
	char *text;
	int64_t at; /* head.place by the reference; not before the last record's */
	bool over, told;
};

struct merge {
	struct hosts *hosts;
	ARRAY(struct input *) inputs;
	ARRAY(char *) notes;
	int reference;
};

struct merge *merge_new(void)
{
	struct merge *merge = NEW(struct merge);

	merge->hosts = hosts_new();
	return merge;
}

static void input_free(struct input *input)
{
	if (input->flows)
		flows_free(input->flows);
	if (input->events)
		events_free(input->events);
	if (input->spool)
		fclose(input->spool);
	line_free(&input->line);
	line_free(&input->waits);
	if (!input->given_length)
		free((char *)input->given);
	free(input->about);
	free(input->clock);
	free(input->wall);
	free(input->text);
	free(input);
}

void merge_free(struct merge *merge)
{
	for (size_t i = 0; i < merge->inputs.count; i++)
		input_free(merge->inputs.items[i]);
	for (size_t i = 0; i < merge->notes.count; i++)
		free(merge->notes.items[i]);
	free(merge->inputs.items);
	free(merge->notes.items);
	hosts_free(merge->hosts);
	free(merge);
}

/* --- times in records --------------------------------------------------------------------------------------------- */

/* Which keys of a record are times of its host's trace clock; the first is the record's own. NULL: none. */
static const char *const *times_of(enum kind kind)
{
	static const char *const keys[KINDS][3] = {
		[KIND_EVENT] = {"ts"}, [KIND_TASK] = {"ts", "read"}, [KIND_LOST] = {"ts", "from"}, [KIND_SAMPLE] = {"ts", "start"},
		[KIND_LIMITS] = {"ts"}, [KIND_SIGNAL] = {"ts", "start"}, [KIND_FILE] = {"ts"}, [KIND_QUOTA] = {"ts", "since"},
		[KIND_TRACED] = {"ts"}, [KIND_OPEN] = {"ts", "start"}, [KIND_SHED] = {"ts"}, [KIND_TRIGGER] = {"ts"},
		[KIND_REQUEST] = {"ts", "start"}, [KIND_EXCEPTION] = {"ts"}, [KIND_STATE] = {"ts", "since"}, [KIND_SOCKET] = {"ts", "from"},
		[KIND_SPAN] = {"ts", "start"}, [KIND_WINDOW] = {"to", "from"}, [KIND_SUMMARY] = {"max_ts"}, [KIND_CALL] = {"ts", "start"},
		[KIND_RUN] = {"ts"}, [KIND_ASYNC] = {"ts"},
	};

	return keys[kind][0] ? keys[kind] : NULL;
}

/* Tells whether the kind is of a graph, or of what was made of one: those name each other by numbers, and begin and end by times of many keys. */
static bool is_made(enum kind kind)
{
	return kind == KIND_GRAPH || kind == KIND_NODE || kind == KIND_EDGE || kind == KIND_PATH || kind == KIND_BLAME || kind == KIND_DIFF;
}

/* Tells whether the record says something of its stream alone. */
static bool is_dropped(enum kind kind)
{
	return kind == KIND_FORMAT || kind == KIND_END || kind == KIND_USAGE || kind == KIND_TICK || kind == KIND_RECORDER;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The place of "NAME=FILE" behind the name; 0: it is a file alone. */
static size_t name_length(const char *operand)
{
	size_t length = strcspn(operand, "=/");

	return operand[length] == '=' && length ? length : 0;
}

const char *merge_file(const char *operand)
{
	size_t length = name_length(operand);

	return length ? operand + length + 1 : operand;
}

static int take_stream(struct input *input, const struct record *record)
{
	static const char *const kept[] = {"kernel", "machine", "cpus", "boot"};
	const struct fields *fields = stream_fields(input->stream, record);
	struct line about = {0};

	if (!fields)
		return -1;
	if (input->begun)
		return stream_fail(input->stream, "it holds a stream behind another; give each as a file");
	line_begin(&about, "");
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		char *value = fields_copy(fields, kept[i]);

		if (value)
			line_text(&about, kept[i], value);
		free(value);
	}
	input->about = about.text;
	input->clock = fields_copy(fields, "clock");
	input->wall = fields_copy(fields, "wall");
	if (!input->given) {
		input->given = fields_copy(fields, "host");
		input->given_length = 0; /* its own */
	}
	return 0;
}

static int spool(struct input *input, enum kind kind, const char *text, size_t length)
{
	struct head head = {input->last, (uint32_t)length, kind};

	if (fwrite(&head, sizeof(head), 1, input->spool) == 1 && fwrite(text, 1, length, input->spool) == length)
		return 0;
	return fail_errno("cannot write a temporary file; TMPDIR names a folder with room");
}

static int take_time(struct input *input, int64_t ts)
{
	if (input->last != INT64_MIN && ts < input->last && (uint64_t)input->last - (uint64_t)ts > (uint64_t)BACK_MOST)
		return stream_fail(input->stream, "time goes back here: the clock was set back; cut the stream here, and give its parts as two hosts");
	if (ts > input->last)
		input->last = ts;
	else if (input->last - ts > BACK_LEAST && input->last - ts > input->back)
		input->back = input->last - ts;
	return 0;
}

static int take_event(struct input *input, const struct record *record)
{
	struct event event;

	if (events_read(input->events, record, &event) < 0)
		return -1;
	if (take_time(input, event.ts) < 0)
		return -1;
	input->first_event = event.ts < input->first_event ? event.ts : input->first_event;
	input->last_event = input->last;
	if (!record->packed)
		return spool(input, KIND_EVENT, record->text, record->length);
	event_spell(&event, events_comm(input->events, event.tid), &input->line);
	return spool(input, KIND_EVENT, input->line.text, input->line.length);
}

static void take_format(struct input *input, const struct record *record)
{
	const char *wait = requests_wait(record);

	if (wait && input->waits.length)
		line_append(&input->waits, ",", 1);
	if (wait)
		line_append(&input->waits, wait, strlen(wait));
}

static int take_other(struct input *input, const struct record *record)
{
	const char *const *keys = times_of(record->kind);
	const struct fields *fields;
	int64_t ts;

	if (keys) {
		fields = stream_fields(input->stream, record);
		if (!fields)
			return -1;
		if (fields_time(fields, keys[0], &ts) < 0)
			return stream_fail(input->stream, "%s", fail_text());
	}
	return spool(input, record->kind, record->text, record->length);
}

static int record_seen(void *context, const struct record *record)
{
	struct input *input = context;
	int status;

	if (record->kind == KIND_STREAM) {
		status = take_stream(input, record);
		input->begun = true;
		return status;
	}
	input->begun = true;
	if (is_made(record->kind))
		return stream_fail(input->stream, "it has graphs already; merge streams of events");
	if (flows_reads(record->kind) && flows_record(input->flows, record) < 0)
		return -1;
	if (record->kind == KIND_FORMAT)
		take_format(input, record);
	if (is_dropped(record->kind))
		return 0;
	return record->kind == KIND_EVENT ? take_event(input, record) : take_other(input, record);
}

/* The host's name: as given, as in the stream, or the file's. */
static int add_host(struct merge *merge, struct input *input)
{
	const char *slash = strrchr(input->file, '/'), *base = slash ? slash + 1 : input->file;
	char *name = !input->given ? memory_format("%s", base) : input->given_length ? memory_text(input->given, input->given_length)
											: memory_format("%s", input->given);
	int64_t wall;

	if (input->given && !input->given_length)
		free((char *)input->given);
	input->given = NULL;
	input->host = hosts_add(merge->hosts, name);
	free(name);
	if (input->host == HOST_NONE)
		return -1;
	flows_end(input->flows);
	hosts_flows(merge->hosts, input->host, input->flows);
	if (input->back)
		hosts_set_back(merge->hosts, input->host);
	if (input->first_event <= input->last_event)
		hosts_times(merge->hosts, input->host, input->first_event, input->last_event);
	if (input->wall && number_time(input->wall, strlen(input->wall), &wall) == 0)
		hosts_wall(merge->hosts, input->host, wall);
	return 0;
}

static int read_all(struct input *input)
{
	struct handlers handlers = {0};
	int status;

	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = record_seen;
	status = stream_run(input->stream, &handlers, input);
	input->incomplete = stream_incomplete(input->stream);
	input->lost = stream_lost(input->stream);
	if (status < 0) {
		char *why = memory_format("%s", fail_text());

		stream_close(input->stream);
		fail("%s", why);
		free(why);
		return -1;
	}
	return stream_close(input->stream) == 1 ? -1 : 0;
}

int merge_read(struct merge *merge, const char *operand)
{
	struct input *input = NEW(struct input);
	char *files[1];

	*ARRAY_ADD(&merge->inputs) = input;
	input->file = merge_file(operand);
	input->given_length = name_length(operand);
	input->given = input->given_length ? operand : NULL;
	input->last = input->last_event = INT64_MIN;
	input->first_event = INT64_MAX;
	files[0] = (char *)input->file;
	input->spool = file_temporary(NULL);
	input->stream = input->spool ? stream_open(files, 1) : NULL;
	if (!input->stream)
		return -1;
	input->events = events_new(input->stream);
	input->flows = flows_new(input->stream, input->events);
	if (read_all(input) < 0 || file_settle(input->spool) < 0)
		return -1;
	return add_host(merge, input);
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

static void note(struct merge *merge, char *text)
{
	*ARRAY_ADD(&merge->notes) = text;
}

size_t merge_note_count(const struct merge *merge)
{
	return merge->notes.count;
}

const char *merge_note(const struct merge *merge, size_t i)
{
	return merge->notes.items[i];
}

int merge_find(struct merge *merge, const char *reference)
{
	merge->reference = reference ? hosts_named(merge->hosts, reference) : 0;
	if (merge->reference == HOST_NONE)
		return fail("no stream is of host '%s'", reference);
	hosts_find(merge->hosts, merge->reference);
	for (int i = 0; i < (int)merge->inputs.count; i++) {
		const char *name = hosts_name(merge->hosts, i);
		size_t steps = hosts_steps(merge->hosts, i);

		if (steps)
			note(merge, memory_format("no one line fits the clock of host %s: it, or that of the host it is compared with, was "
						  "stepped or ran differently; %zu lines are taken, one behind the other", name, steps + 1));
		if (merge->inputs.items[i]->back) {
			char room[NUMBER_ROOM];

			number_human_duration(room, merge->inputs.items[i]->back);
			note(merge, memory_format("host %s: its clock was set back, by %s or more; its times may be wrong by that", name, room));
			merge->inputs.items[i]->incomplete = true;
		}
		if (hosts_is_guess(merge->hosts, i)) {
			note(merge, memory_format("host %s: no connection to the others carried bytes both ways, or none is seen from "
						  "both sides; it is placed by %s", name,
						  merge->inputs.items[i]->wall ? "the wall clocks, whose error nobody knows" : "nothing: it has no wall clock"));
			merge->inputs.items[i]->incomplete = true;
		}
	}
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* 1; 0: all was read; -1 after fail(). */
static int next(struct merge *merge, struct input *input)
{
	int64_t before = input->at;

	if (fread(&input->head, sizeof(input->head), 1, input->spool) != 1) {
		input->over = true;
		return ferror(input->spool) ? fail_errno("cannot read a temporary file") : 0;
	}
	input->text = memory_grow(input->text, input->head.length + 1, 1);
	if (fread(input->text, 1, input->head.length, input->spool) != input->head.length)
		return fail_errno("cannot read a temporary file");
	input->text[input->head.length] = '\0';
	input->at = input->head.place == INT64_MIN ? INT64_MIN : hosts_map(merge->hosts, input->host, input->head.place);
	if (input->at < before)
		input->at = before;
	return 1;
}

/* The line with its times by the reference. -1 after fail(). */
static int rewrite(const struct merge *merge, const struct input *input, const char *const *keys, struct line *line)
{
	struct fields fields;
	const char *from = input->text;

	if (fields_parse(&fields, input->text, input->head.length) < 0)
		return -1;
	line->length = 0;
	for (int i = 0; i < fields.count; i++) {
		const struct field *field = &fields.item[i];
		char number[NUMBER_ROOM];
		int64_t ts;
		bool is_time = false;

		for (int k = 0; k < 3 && keys[k]; k++)
			is_time |= strlen(keys[k]) == field->key_length && !memcmp(keys[k], field->key, field->key_length);
		if (!is_time || number_time(field->value, field->value_length, &ts) < 0)
			continue;
		ts = hosts_map(merge->hosts, input->host, ts);
		if (input->back && input->head.kind == KIND_EVENT)
			ts = input->at; /* in order, if not right */
		line_append(line, from, (size_t)(field->value - from));
		line_append(line, number, number_spell_time(number, ts));
		from = field->value + field->value_length;
	}
	line_append(line, from, (size_t)(input->text + input->head.length - from));
	return 0;
}

static int write_record(const struct merge *merge, const struct input *input, struct stream *stream, struct line *line)
{
	const char *const *keys = times_of(input->head.kind);

	if (keys) {
		if (rewrite(merge, input, keys, line) < 0)
			return -1;
	} else {
		line->length = 0;
		line_append(line, input->text, input->head.length);
	}
	return stream_write_line(stream, line);
}

static int write_host(const struct merge *merge, struct input *input, struct stream *stream, struct line *line)
{
	line_begin(line, "host");
	line_text(line, "name", hosts_name(merge->hosts, input->host));
	if (!input->told && input->about)
		line_append(line, input->about, strlen(input->about));
	if (!input->told && input->waits.length)
		line_text(line, "waits", input->waits.text);
	input->told = true;
	return stream_write_line(stream, line);
}

/* The reference's, or of a host alone its own but for the clock. */
static int write_stream(const struct merge *merge, const struct input *only, struct stream *stream, struct line *line)
{
	const struct input *reference = merge->inputs.items[merge->reference];

	line_begin(line, "stream");
	line_integer(line, "version", STREAM_VERSION);
	if (only) {
		line_text(line, "host", hosts_name(merge->hosts, only->host));
		if (only->about)
			line_append(line, only->about, strlen(only->about));
	}
	if (reference->clock)
		line_text(line, "clock", reference->clock);
	if (reference->wall)
		line_text(line, "wall", reference->wall);
	return stream_write_line(stream, line);
}

static struct input *earliest(const struct merge *merge, const struct input *only)
{
	struct input *first = NULL;

	for (size_t i = 0; i < merge->inputs.count; i++) {
		struct input *input = merge->inputs.items[i];

		if (!input->over && (!only || input == only) && (!first || input->at < first->at))
			first = input;
	}
	return first;
}

static int write_all(struct merge *merge, const struct input *only, struct stream *stream, struct line *line)
{
	const struct input *last = only;
	struct input *input;

	while ((input = earliest(merge, only)) && !stream_output_closed(stream)) {
		if (input != last && write_host(merge, input, stream, line) < 0)
			return -1;
		last = input;
		if (write_record(merge, input, stream, line) < 0 || next(merge, input) < 0)
			return -1;
	}
	return 0;
}

static int begin(struct merge *merge, const struct input *only, struct stream *stream, struct line *line)
{
	for (size_t i = 0; i < merge->inputs.count; i++) {
		struct input *input = merge->inputs.items[i];

		if (only && input != only)
			continue;
		rewind(input->spool);
		input->at = INT64_MIN;
		if (next(merge, input) < 0)
			return -1;
		stream_count_lost(stream, input->lost);
		if (input->incomplete)
			stream_mark_incomplete(stream);
	}
	return write_stream(merge, only, stream, line) < 0 ? -1 : hosts_write(merge->hosts, stream);
}

int merge_write(struct merge *merge, struct stream *stream, const char *only)
{
	int host = only ? hosts_named(merge->hosts, only) : HOST_NONE, status;
	const struct input *input = host == HOST_NONE ? NULL : merge->inputs.items[host];
	struct line line = {0};

	if (only && !input)
		return fail("no stream is of host '%s'", only);
	status = begin(merge, input, stream, &line) < 0 ? -1 : write_all(merge, input, stream, &line);
	line_free(&line);
	return status;
}
