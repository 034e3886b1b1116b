#include "import/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "import/print_layout.h"
#include "import/trouble.h"
#include "stream/line.h"

/*
 * known: print formats of kernels and tools, from charts/formats/kernel.formats.
 */

#define LIST "charts/formats/kernel.formats"

/* A line of the list. */
struct known_line {
	const char *system, *name; /* the name may be a pattern */
	const char *format;	   /* NULL: only the system is known */
	struct print_layout *layout;	   /* made when it is first needed */
	bool tried;
};

/* The lines of the list whose name or pattern fits an event's name; found when the name first occurs. */
struct known_event {
	char *name;
	ARRAY(struct known_line *) lines;
	UT_hash_handle hh;
};

struct known {
	char *text;
	ARRAY(struct known_line) lines;
	struct known_event *events;
};

/* Cuts "system:name format" in place. -1 after fail(). */
static int add_line(struct known *known, char *line, int number)
{
	char *colon = strchr(line, ':'), *space = strchr(line, ' ');

	if (!colon || (space && space < colon))
		return fail(LIST ":%d: this is not SYSTEM:EVENT", number);
	*colon = '\0';
	if (space)
		*space = '\0';
	*ARRAY_ADD(&known->lines) = (struct known_line){line, colon + 1, space ? space + 1 : NULL, NULL, false};
	return 0;
}

static void known_free(struct known *known)
{
	struct known_event *event, *next;

	HASH_ITER(hh, known->events, event, next) {
		HASH_DEL(known->events, event);
		free(event->lines.items);
		free(event->name);
		free(event);
	}
	for (size_t i = 0; i < known->lines.count; i++)
		print_layout_free(known->lines.items[i].layout);
	free(known->lines.items);
	free(known->text);
	free(known);
}

/* NULL after fail() */
static struct known *known_load(void)
{
	char *path = file_shipped(LIST), *line, *rest;
	struct known *known = NEW(struct known);
	int number = 0, status = 0;

	known->text = path ? file_read(path, NULL) : NULL;
	free(path);
	if (!known->text)
		status = -1;
	for (rest = known->text; status == 0 && (line = strsep(&rest, "\n"));) {
		number++;
		if (*line && *line != '#')
			status = add_line(known, line, number);
	}
	if (status == 0)
		return known;
	known_free(known);
	return NULL;
}

static struct known_event *find(struct known *known, const char *name)
{
	struct known_event *event;

	HASH_FIND_STR(known->events, name, event);
	if (event)
		return event;
	event = NEW(struct known_event);
	event->name = memory_text(name, strlen(name));
	for (int patterns = 0; patterns < 2; patterns++) /* names first */
		for (size_t i = 0; i < known->lines.count; i++) {
			struct known_line *line = &known->lines.items[i];
			bool is_pattern = strchr(line->name, '*') != NULL;

			if (is_pattern == patterns && fnmatch(line->name, name, 0) == 0)
				*ARRAY_ADD(&event->lines) = line;
		}
	HASH_ADD_KEYPTR(hh, known->events, event->name, strlen(event->name), event);
	return event;
}

static const struct print_layout *layout_of(struct known_line *line)
{
	if (!line->tried && line->format)
		line->layout = print_layout_new(line->format);
	line->tried = true;
	return line->layout;
}

static bool fits(struct known_line *line, const char *text, size_t length)
{
	struct line unused = {0};
	bool read = layout_of(line) && print_layout_read(layout_of(line), LAYOUT_WHOLE, text, length, &unused) >= 0;

	line_free(&unused);
	return read;
}

/*
 * The system of an event, by the list. A line of this very name decides; else a pattern whose layout fits the text; else the first line
 * that has no format. "unknown": the list lacks the event.
 */
static const char *known_system(struct known *known, const char *name, const char *text, size_t length)
{
	const struct known_event *event = find(known, name);
	const char *guess = "unknown";

	for (size_t i = event->lines.count; i-- > 0;)
		if (!event->lines.items[i]->format || !strchr(event->lines.items[i]->name, '*'))
			guess = event->lines.items[i]->system;
	for (size_t i = 0; i < event->lines.count; i++) {
		struct known_line *line = event->lines.items[i];

		if (!strchr(line->name, '*')) /* no pattern: the system is certain */
			return line->system;
		if (fits(line, text, length))
			return line->system;
	}
	return guess;
}

/*
 * Appends the fields of an event's text. Returns the length read, which may be less than the text because tools and kernels append fields;
 * 0: no known layout fits, and the line is unchanged.
 */
static size_t known_read(struct known *known, const char *system, const char *name, const char *text, size_t length, struct line *line)
{
	const struct known_event *event = find(known, name);

	for (int fit = LAYOUT_WHOLE; fit < LAYOUT_FITS; fit++)
		for (size_t i = 0; i < event->lines.count; i++) {
			struct known_line *candidate = event->lines.items[i];
			long read;

			if (strcmp(candidate->system, system) != 0 || !layout_of(candidate))
				continue;
			read = print_layout_read(layout_of(candidate), (enum layout_fit)fit, text, length, line);
			if (read >= 0)
				return (size_t)read;
		}
	return 0;
}

/* Tells whether the list has a format of this event's own name, not only of a pattern. */
static bool known_has_layout(struct known *known, const char *system, const char *name)
{
	const struct known_event *event = find(known, name);

	for (size_t i = 0; i < event->lines.count; i++) {
		const struct known_line *line = event->lines.items[i];

		if (line->format && !strchr(line->name, '*') && strcmp(line->system, system) == 0)
			return true;
	}
	return false;
}

/* A ring of a CPU: that of the main buffer, and behind it the rings of other buffers. */
struct text_ring {
	char *buffer;
	int64_t last; /* time of its last event */
	bool seen;
	uint64_t lost; /* events lost since `last` */
	struct text_ring *next;
};

struct text_task {
	int32_t tid, tgid;
	UT_hash_handle hh;
};

struct text {
	struct import *import;
	const char *name;
	struct known *known;
	struct line line, task;
	ARRAY(struct text_ring) cpus;
	struct text_task *tasks;
	struct troubles troubles;
	int64_t last;
	uint64_t events;
};

enum { CPUS_MAX = 1 << 16 };

/* A step back of the time that is serious, in nanoseconds: events that perf leaves out of order are nearer to each other. */
enum { BACK_FAR = 1000 * 1000 };

void text_trouble(struct text *text, const char *kind, bool missing, uint64_t number, uint64_t count)
{
	troubles_count(&text->troubles, kind, missing, number, count);
}

static void say_troubles(struct text *text)
{
	troubles_say(&text->troubles, text->import);
	if (text->events == 0)
		import_say(text->import, true, "%s: no events", text->name);
}

static void free_rings(struct text *text)
{
	for (size_t i = 0; i < text->cpus.count; i++)
		for (struct text_ring *ring = text->cpus.items[i].next, *next; ring; ring = next) {
			next = ring->next;
			free(ring->buffer);
			free(ring);
		}
	free(text->cpus.items);
}

static void free_text(struct text *text)
{
	HASH_FREE(text->tasks);
	troubles_free(&text->troubles);
	if (text->known)
		known_free(text->known);
	line_free(&text->line);
	line_free(&text->task);
	free_rings(text);
	free(text);
}

/* --- losses ------------------------------------------------------------------------------------------------------- */

static struct text_ring *ring_of(struct text *text, const struct text_event *event)
{
	struct text_ring *ring;

	while (text->cpus.count <= event->cpu)
		*ARRAY_ADD(&text->cpus) = (struct text_ring){0};
	ring = &text->cpus.items[event->cpu];
	if (!event->buffer_length)
		return ring;
	for (; ring->next; ring = ring->next)
		if (strlen(ring->next->buffer) == event->buffer_length &&
		    memcmp(ring->next->buffer, event->buffer, event->buffer_length) == 0)
			return ring->next;
	ring->next = NEW(struct text_ring);
	ring->next->buffer = memory_text(event->buffer, event->buffer_length);
	return ring->next;
}

void text_lost(struct text *text, const struct text_event *event, uint64_t count)
{
	if (event->cpu < CPUS_MAX)
		ring_of(text, event)->lost += count;
}

static int write_lost(struct text *text, struct text_ring *ring, uint32_t cpu, int64_t ts)
{
	uint64_t count = ring->lost;

	ring->lost = 0;
	line_begin(&text->line, "lost");
	line_time(&text->line, "ts", ts);
	line_unsigned(&text->line, "cpu", cpu);
	line_unsigned(&text->line, "count", count);
	if (ring->seen)
		line_time(&text->line, "from", ring->last);
	stream_count_lost(import_stream(text->import), count);
	return stream_write_line(import_stream(text->import), &text->line);
}

int text_comment(struct text *text, const char *line, size_t length, uint64_t number)
{
	static const char mark[] = "# tailblame: ";
	static struct fields fields;
	struct line record = {0};
	enum kind kind;
	int status;

	if (length < sizeof(mark) || memcmp(line, mark, sizeof(mark) - 1) != 0)
		return 0;
	line += sizeof(mark) - 1;
	length -= sizeof(mark) - 1;
	kind = fields_parse(&fields, line, length) == 0 ? kind_of(fields.kind, fields.kind_length) : KIND_OTHER;
	if (kind != KIND_DEVICE && kind != KIND_CHART) {
		text_trouble(text, "this comment is no record of a device or a chart", false, number, 1);
		return 0;
	}
	line_append(&record, line, length);
	status = stream_write_line(import_stream(text->import), &record);
	line_free(&record);
	return status;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Writes a `task` record when a thread is new or its group has changed. */
static int write_task(struct text *text, const struct text_event *event)
{
	struct text_task *task;

	HASH_FIND_INT(text->tasks, &event->tid, task);
	if (task && task->tgid == event->tgid)
		return 0;
	if (!task) {
		task = NEW(struct text_task);
		task->tid = event->tid;
		HASH_ADD_INT(text->tasks, tid, task);
	}
	task->tgid = event->tgid;
	line_begin(&text->task, "task");
	line_time(&text->task, "ts", event->ts);
	line_integer(&text->task, "tid", event->tid);
	line_bytes(&text->task, "comm", event->comm, event->comm_length);
	line_integer(&text->task, "tgid", event->tgid);
	return stream_write_line(import_stream(text->import), &text->task);
}

static bool read_fields(struct text *text, const struct text_event *event, const char *system)
{
	size_t read;

	if (event->own) {
		line_append(&text->line, event->own->text, event->own->length);
		return true;
	}
	if (event->period)
		line_unsigned(&text->line, "period", event->period);
	if (event->field && event->length) {
		line_bytes(&text->line, event->field, event->payload, event->length);
		return true;
	}
	read = known_read(text->known, system, event->name, event->payload, event->length, &text->line);
	return print_layout_guess(event->payload + read, event->length - read, event->hexadecimal, &text->line) > 0 || read || event->length == 0;
}

/* Data are missing only if the event's fields are known, but not found in its text. */
static void say_unread(struct text *text, const struct text_event *event, const char *system, uint64_t number)
{
	char kind[2 * TEXT_NAME + 64];

	if (!known_has_layout(text->known, system, event->name)) {
		text_trouble(text, "the fields of such events are not known; they are passed on as text=", false, number, 1);
		return;
	}
	snprintf(kind, sizeof(kind), "the fields of %s:%s are not understood; passed on as text=", system, event->name);
	text_trouble(text, kind, true, number, 1);
}

static void spell(struct text *text, const struct text_event *event, const char *system, uint64_t number)
{
	char full[2 * TEXT_NAME];

	line_begin(&text->line, "event");
	line_time(&text->line, "ts", event->ts);
	line_unsigned(&text->line, "cpu", event->cpu);
	line_integer(&text->line, "tid", event->tid);
	if (event->tid == 0)
		line_text(&text->line, "comm", "swapper");
	else if (event->comm_length)
		line_bytes(&text->line, "comm", event->comm, event->comm_length);
	snprintf(full, sizeof(full), "%s:%s", system, event->name);
	line_text(&text->line, "name", full);
	if (!read_fields(text, event, system)) {
		line_bytes(&text->line, "text", event->payload, event->length);
		say_unread(text, event, system, number);
	}
	if (event->flags != TEXT_FLAGS_UNKNOWN)
		line_integer(&text->line, "common_flags", event->flags);
}

int text_event(struct text *text, const struct text_event *event, uint64_t number)
{
	struct record record = {.kind = KIND_EVENT};
	const char *system = event->system;
	const struct event_choice *choice;
	struct text_ring *ring;
	int status;

	if (event->cpu >= CPUS_MAX) {
		text_trouble(text, "there is no CPU of this number", true, number, 1);
		return 0;
	}
	if (event->cpu_unknown)
		text_trouble(text, "the CPU of these events is not told; 0 is taken for it", true, number, 1);
	if (!*system)
		system = known_system(text->known, event->name, event->payload, event->length);
	text->events++;
	ring = ring_of(text, event);
	if (ring->lost && write_lost(text, ring, event->cpu, event->ts) < 0)
		return -1;
	if (event->ts < text->last) {
		bool far = text->last - event->ts > BACK_FAR;

		text_trouble(text, far ? "the time goes back far, so waits may be wrong" : "the time goes back", far, number, 1);
	}
	text->last = ring->last = event->ts;
	ring->seen = true;
	choice = import_choose(text->import, system, event->name);
	if (!choice || !choice->wanted)
		return choice ? 0 : -1;
	spell(text, event, system, number);
	record.text = text->line.text;
	record.length = text->line.length;
	status = import_passes(text->import, choice, &record);
	if (status <= 0)
		return status;
	if (event->tgid && event->tid > 0 && event->comm_length && write_task(text, event) < 0)
		return -1;
	return stream_write_record(import_stream(text->import), &record);
}

int text_record(struct text *text, const struct line *record)
{
	return stream_write_line(import_stream(text->import), record);
}

const char *text_system(struct text *text, const char *name)
{
	return known_system(text->known, name, "", 0);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* Writes what is left and frees the text in any case. -1 after fail(). */
static int end_text(struct text *text)
{
	int64_t last = text->last == INT64_MIN ? 0 : text->last;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < text->cpus.count; i++)
		for (struct text_ring *ring = &text->cpus.items[i]; status == 0 && ring; ring = ring->next)
			if (ring->lost)
				status = write_lost(text, ring, i, last);
	if (text->known)
		say_troubles(text);
	free_text(text);
	return status;
}

/* Finds a mark at the beginning of a line or in a comment. Returns what follows it on that line; NULL: no whole line has the mark. */
static const char *told_behind(const char *bytes, size_t length, const char *mark)
{
	const char *found = memmem(bytes, length, mark, strlen(mark)), *line;

	if (!found || !memchr(found, '\n', (size_t)(bytes + length - found)))
		return NULL;
	line = memrchr(bytes, '\n', (size_t)(found - bytes));
	line = line ? line + 1 : bytes;
	return found == line || *line == '#' ? found + strlen(mark) : NULL;
}

/* Writes the number of CPUs recorded, as the kernel, trace-cmd report and perf script --header spell it. */
static void write_cpus(struct text *text, const char *bytes, size_t length)
{
	static const char *const marks[] = {"#P:", "cpus=", "# nrcpus online : "};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *told = told_behind(bytes, length, marks[i]);
		uint64_t cpus;

		if (!told || number_count(told, strspn(told, "0123456789"), &cpus) < 0 || cpus == 0 || cpus > CPUS_MAX)
			continue;
		line_unsigned(&text->line, "cpus", cpus);
		return;
	}
}

/*
 * Writes the machine, on which the names of system calls depend: as perf script --header says, "# arch : x86_64", or as the user says.
 * No other text tells the machine.
 */
static void write_machine(struct text *text, struct import_input *input)
{
	const char *machine = import_options(text->import)->machine, *bytes, *told;
	size_t length;

	if (lines_peek(&input->lines, &bytes, &length) < 0)
		return;
	told = told_behind(bytes, length, "# arch : ");
	if (told)
		line_bytes(&text->line, "machine", told, strcspn(told, "\r\n"));
	else if (machine)
		line_text(&text->line, "machine", machine);
	write_cpus(text, bytes, length);
}

static struct text *begin_text(struct import *import, struct import_input *input)
{
	const struct import_options *options = import_options(import);
	struct text *text = NEW(struct text);

	text->import = import;
	text->name = text->troubles.name = input->name;
	text->last = INT64_MIN;
	text->known = known_load();
	line_begin(&text->line, "stream");
	line_integer(&text->line, "version", STREAM_VERSION);
	write_machine(text, input);
	if (input->since_1970)
		line_time(&text->line, "wall", 0);
	if (text->known && import_begin(import, false) == 0 && stream_write_line(import_stream(import), &text->line) == 0 &&
	    (!options->begun || options->begun(options->context, import_stream(import)) == 0))
		return text;
	end_text(text);
	return NULL;
}

int text_read(struct import *import, struct import_input *input, text_take *take,
	      int (*end)(struct text *text, void *context), void *context)
{
	struct text *text = begin_text(import, input);
	size_t length;
	char *line;
	int status;

	if (!text)
		return -1;
	while ((status = lines_next(&input->lines, &line, &length)) > 0 && !stream_output_closed(import_stream(import))) {
		status = take(text, context, line, length, input->lines.number);
		if (status < 0)
			break;
	}
	if (end && status >= 0)
		status = end(text, context);
	return end_text(text) < 0 || status < 0 ? -1 : 0;
}

/* --- spelling ----------------------------------------------------------------------------------------------------- */

size_t text_time(const char *at, size_t length, char end, int64_t *ns)
{
	size_t digits = 0, decimals = 0;

	while (digits < length && isdigit((unsigned char)at[digits]))
		digits++;
	if (digits == 0 || digits > 10 || digits >= length || at[digits] != '.')
		return 0;
	while (digits + 1 + decimals < length && isdigit((unsigned char)at[digits + 1 + decimals]))
		decimals++;
	if (decimals == 0 || decimals > 9 || digits + 1 + decimals >= length || at[digits + 1 + decimals] != end)
		return 0;
	return number_time(at, digits + 1 + decimals, ns) < 0 ? 0 : digits + 1 + decimals + 1;
}

size_t text_count_lines(const char *bytes, size_t length, bool (*is)(const char *line, size_t length))
{
	size_t count = 0;

	while (length > 0) {
		const char *newline = memchr(bytes, '\n', length);

		count += is(bytes, newline ? (size_t)(newline - bytes) : length);
		if (!newline)
			break;
		length -= (size_t)(newline + 1 - bytes);
		bytes = newline + 1;
	}
	return count;
}
