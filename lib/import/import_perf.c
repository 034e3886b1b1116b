/* The output of perf script: comm tid [cpu] time: system:event: payload, or comm tid [cpu] time: period event: address. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/text.h"
#include "import/text_span.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads a pid or tid. "-1" is a thread that is still ending, but gone from the list of threads. */
static bool read_id(const char *at, const char *end, int32_t *id)
{
	int64_t number;

	if (at == end || number_integer(at, (size_t)(end - at), &number) < 0 || number < -1 || number > INT32_MAX)
		return false;
	*id = (int32_t)number;
	return true;
}

/* Reads a tid, "1234", or pid and tid, "1200/1234", at the end of `text`. Returns where it begins; NULL: there is none. */
static const char *read_thread(const char *text, const char *end, struct text_event *event)
{
	const char *at = end, *slash;

	while (at > text && !is_blank(at[-1]))
		at--;
	slash = memchr(at, '/', (size_t)(end - at));
	if (slash && !read_id(at, slash, &event->tgid))
		return NULL;
	event->tgid = event->tgid < 0 ? 0 : event->tgid;
	return read_id(slash ? slash + 1 : at, end, &event->tid) ? at : NULL;
}

/* perf writes ":1234" for a thread whose name it does not know. */
static void take_comm(struct text_event *event, const char *from, const char *to)
{
	struct text_span comm = trimmed((struct text_span){from, to});

	event->comm = comm.at;
	event->comm_length = begins_with(comm, ":") ? 0 : text_span_length(comm);
}

/* Reads "[003]", which perf leaves out if it did not record the CPU. Returns what follows; NULL: there is none. */
static const char *read_cpu(const char *at, const char *end, struct text_event *event)
{
	uint64_t cpu;
	const char *close = at < end && *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;

	if (!close || number_count(at + 1, (size_t)(close - at - 1), &cpu) < 0 || cpu > UINT32_MAX)
		return NULL;
	event->cpu = (uint32_t)cpu;
	return close + 1;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool take_part(char *part, const char *from, const char *to)
{
	if (from == to || to - from >= TEXT_NAME)
		return false;
	memcpy(part, from, (size_t)(to - from));
	part[to - from] = '\0';
	return true;
}

/* Skips an event's modifiers, such as "upp:", which choose user mode, kernel and so on. Returns `at` if there are none. */
static const char *skip_modifiers(const char *at, const char *end)
{
	const char *colon = at;

	while (colon < end && *colon && strchr("ukhHGIpPSDWebRX", *colon))
		colon++;
	return colon > at && colon < end && *colon == ':' ? colon + 1 : at;
}

/* Reads "sched:sched_switch: " or "sched:sched_switch:k: ". Returns the place behind the name; NULL: it is no name. */
static const char *read_tracepoint(const char *at, const char *end, struct text_event *event)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));
	const char *second = colon ? memchr(colon + 1, ':', (size_t)(end - colon - 1)) : NULL;

	if (!second || memchr(at, ' ', (size_t)(second - at)) || !take_part(event->system, at, colon) ||
	    !take_part(event->name, colon + 1, second))
		return NULL;
	return skip_modifiers(second + 1, end);
}

/* Reads a counter, "cycles:", "cycles:upp:", "cpu/event=0x3c/:"; its system and name become perf:cycles. Returns like read_tracepoint(). */
static const char *read_counter(const char *at, const char *end, struct text_event *event)
{
	const char *last = at, *colon;

	while (last < end && (isalnum((unsigned char)*last) || strchr("_-./=,:", *last)))
		last++;
	if (last == at || last[-1] != ':' || !(last == end || is_blank(*last)))
		return NULL;
	last--;
	colon = memchr(at, ':', (size_t)(last - at));
	if (colon && skip_modifiers(colon + 1, end) != last + 1)
		return NULL;
	memcpy(event->system, "perf", 5);
	return take_part(event->name, at, colon ? colon : last) ? last + 1 : NULL;
}

/* Recognizes the text behind a sample's name: an address, or nothing if its call stack follows. */
static bool is_address(const char *at, const char *end)
{
	const char *digits = skip_blanks(at, end);

	at = digits;
	while (at < end && isxdigit((unsigned char)*at))
		at++;
	return at == end || (at > digits && is_blank(*at));
}

/* Reads the event's name, perhaps behind a period. Returns like read_tracepoint(). */
static const char *read_name(const char *at, const char *end, struct text_event *event)
{
	const char *behind, *counter;

	at = skip_blanks(at, end);
	for (behind = at; behind < end && is_digit(*behind);)
		behind++;
	if (behind > at && behind < end && is_blank(*behind)) {
		read_count((struct text_span){at, behind}, &event->period);
		at = skip_blanks(behind, end);
	}
	counter = read_counter(at, end, event);
	if (counter && (event->period || is_address(counter, end))) {
		event->field = "ip";
		return counter;
	}
	if (counter) { /* a tracepoint without its system, as up to Linux 3.6 */
		*event->system = '\0';
		return counter;
	}
	event->period = 0;
	return read_tracepoint(at, end, event);
}

static const char *before_blanks(const char *line, const char *end)
{
	while (end > line && is_blank(end[-1]))
		end--;
	return end;
}

/* The place before the letters of the CPU's mode, which perf script prints behind the CPU on request: "[003] K". */
static const char *before_mode(const char *line, const char *end)
{
	const char *at = end, *close;

	while (at > line && isalpha((unsigned char)at[-1]))
		at--;
	close = before_blanks(line, at);
	return at < end && close > line && close < at && close[-1] == ']' ? close : end;
}

/*
 * Reads the head of a line whose time begins at `at`, behind the CPU or, if there is none, behind the thread. Returns what stands behind the
 * time; NULL: there is no time or no thread.
 */
static const char *read_head(const char *line, const char *end, const char *at, struct text_event *event)
{
	const char *left = before_mode(line, before_blanks(line, at));
	size_t length;

	*event = (struct text_event){.flags = TEXT_FLAGS_UNKNOWN};
	length = text_time(at, (size_t)(end - at), ':', &event->ts);
	if (!length)
		return NULL;
	at += length;
	event->cpu_unknown = left == line || left[-1] != ']';
	if (!event->cpu_unknown) {
		const char *open = left;

		while (open > line && *open != '[')
			open--;
		if (!read_cpu(open, left, event))
			return NULL;
		left = before_blanks(line, open);
	}
	left = read_thread(line, left, event);
	if (!left)
		return NULL;
	take_comm(event, line, left);
	return at;
}

/* Finds the first time in the line behind which read() understands the rest. Returns what read() returns; NULL: there is none. */
static const char *read_parted(const char *line, const char *end, struct text_event *event,
			       const char *(*read)(const char *at, const char *end, struct text_event *event))
{
	for (const char *at = line + 1; at < end; at++) {
		const char *behind = is_blank(at[-1]) && is_digit(*at) ? read_head(line, end, at, event) : NULL;

		behind = behind ? read(behind, end, event) : NULL;
		if (behind)
			return behind;
	}
	return NULL;
}

static bool read_line(const char *line, size_t length, struct text_event *event)
{
	const char *end = line + length, *at = read_parted(line, end, event, read_name);

	if (!at)
		return false;
	event->payload = skip_blanks(at, end);
	event->length = (size_t)(end - event->payload);
	return true;
}

/* Recognizes a line of the call stack below an event: an address, a function, or both. */
static bool is_stack(const char *line, size_t length)
{
	const char *at = skip_blanks(line, line + length), *hexadecimal = at;

	while (at < line + length && isxdigit((unsigned char)*at))
		at++;
	return *line == '\t' || (hexadecimal > line && at > hexadecimal && (at == line + length || is_blank(*at)));
}

#define RECORD "PERF_RECORD_"

static const char *read_record(const char *at, const char *end, struct text_event *event)
{
	(void)event;
	at = skip_blanks(at, end);
	return begins_with((struct text_span){at, end}, RECORD) ? at : NULL;
}

/* Recognizes a record that perf prints without a thread and a time: the name of a thread is shorter. */
static bool is_bare_record(const char *at, const char *end)
{
	enum { NAME_MOST = 15 };
	const char *blank = at;

	while (blank < end && !is_blank(*blank))
		blank++;
	return begins_with((struct text_span){at, end}, RECORD) && blank - at > NAME_MOST;
}

/*
 * Finds one of perf's own records about programs, their memory and losses, which perf script prints on request; *head gets what stands before it.
 * NULL: the line is none. A thread's name, or the text of an event, may have the same words.
 */
static const char *find_record(const char *line, size_t length, struct text_event *head)
{
	const char *end = line + length, *at = skip_blanks(line, end);
	struct text_event event;

	head->cpu_unknown = true;
	if (!memmem(line, length, RECORD, strlen(RECORD)))
		return NULL;
	if (is_bare_record(at, end))
		return at;
	at = read_parted(line, end, head, read_record);
	return at && !read_line(line, (size_t)(at - line), &event) ? at : NULL;
}

/* Reads "PERF_RECORD_LOST lost 12". 0: it is no such record. */
static uint64_t lost_events(const char *record, const char *end)
{
	uint64_t count = 0;

	if (!begins_with((struct text_span){record, end}, RECORD "LOST"))
		return 0;
	while (record < end && !is_digit(*record))
		record++;
	number_count(record, strspn(record, "0123456789"), &count);
	return count;
}

static bool is_event(const char *line, size_t length)
{
	struct text_event event;

	return read_line(line, length, &event);
}

static size_t is_perf(const char *bytes, size_t length)
{
	return text_count_lines(bytes, length, is_event);
}

struct reading {
	struct text_event event; /* the last event read */
	ARRAY(int32_t) running;	 /* the thread on each CPU; -1: unknown, because it has not switched yet */
};

/*
 * The thread before or behind a switch: "prev_comm=a prev_pid=11 ... ==> next_comm=b next_pid=12 ...", or, as perf's plugin
 * prints it, "a:11 [120] S ==> b:12 [120]". -1: the text does not tell.
 */
static int32_t switched(struct text_span payload, bool behind)
{
	const char *key = behind ? " next_pid=" : " prev_pid=", *arrow = find(payload, " ==> "), *at = find(payload, key);
	struct text_span part = behind ? (struct text_span){arrow, payload.end} : (struct text_span){payload.at, arrow}, digits;
	uint64_t tid;

	if (at)
		at += strlen(key);
	else if (arrow && (at = memrchr(part.at, ':', text_span_length(part))))
		at++;
	else
		return -1;
	for (digits.at = digits.end = at; digits.end < payload.end && is_digit(*digits.end);)
		digits.end++;
	return read_count(digits, &tid) && tid <= INT32_MAX ? (int32_t)tid : -1;
}

/* If perf does not know the thread any more, it is the one that runs on the CPU. */
static void follow(struct reading *reading, struct text_event *event)
{
	enum { CPUS_MAX = 1 << 16 };
	struct text_span payload = {event->payload, event->payload + event->length};
	bool is_switch = (!*event->system || strcmp(event->system, "sched") == 0) && strcmp(event->name, "sched_switch") == 0;

	if (event->tid < 0 && is_switch)
		event->tid = switched(payload, false);
	if (event->cpu_unknown || event->cpu >= CPUS_MAX)
		return;
	while (reading->running.count <= event->cpu)
		*ARRAY_ADD(&reading->running) = -1;
	if (event->tid < 0)
		event->tid = reading->running.items[event->cpu];
	if (is_switch || reading->running.items[event->cpu] >= 0)
		reading->running.items[event->cpu] = is_switch ? switched(payload, true) : event->tid;
}

static int take_line(struct text *text, void *context, const char *line, size_t length, uint64_t number)
{
	struct reading *reading = context;
	struct text_event *event = &reading->event, head;
	const char *record;
	uint64_t lost;

	if (skip_blanks(line, line + length) == line + length || *line == '#')
		return 0;
	record = find_record(line, length, &head);
	lost = record ? lost_events(record, line + length) : 0;
	if (lost) {
		text_lost(text, &(struct text_event){.cpu = head.cpu_unknown ? event->cpu : head.cpu}, lost);
		reading->running.count = 0;
	} else if (record) {
		text_trouble(text, "perf's own records are left out", false, number, 1);
	} else if (read_line(line, length, event)) {
		follow(reading, event);
		if (event->tid < 0)
			text_trouble(text, "the thread of these events has exited and is not told; 0 is taken for it", true, number, 1);
		event->tid = event->tid < 0 ? 0 : event->tid;
		return text_event(text, event, number);
	} else if (is_stack(line, length)) {
		text_trouble(text, "call stacks are left out", false, number, 1);
	} else {
		text_trouble(text, "this is no event", true, number, 1);
	}
	return 0;
}

static int read_perf(struct import *import, struct import_input *input)
{
	struct reading reading = {0};
	int status = text_read(import, input, take_line, NULL, &reading);

	free(reading.running.items);
	return status;
}

/* --- what perf script was not asked to print ---------------------------------------------------------------------- */

enum lack { LACKS_TIME = 1, LACKS_THREAD = 2 };

/* Finds the tracepoint's name in a line, "system:event:" behind a blank. NULL: there is none. */
static const char *find_tracepoint(const char *line, const char *end)
{
	struct text_event event;

	for (const char *at = line; (at = memchr(at, ':', (size_t)(end - at))); at++) {
		const char *name = at, *rest;

		while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
			name--;
		if (name < at && (name == line || is_blank(name[-1])) && isalpha((unsigned char)*name) && at + 1 < end && at[1] != ' ' &&
		    (rest = read_tracepoint(name, end, &event)) && (rest == end || is_blank(*rest)))
			return name;
	}
	return NULL;
}

/* Which parts a line lacks before the name of the tracepoint. */
static int lacks_of(const char *line, const char *name)
{
	const char *left = before_blanks(line, name), *word = left;
	struct text_event event;
	int lacks = 0;

	while (word > line && !is_blank(word[-1]))
		word--;
	if (!text_time(word, (size_t)(left - word), ':', &event.ts))
		lacks |= LACKS_TIME;
	else
		left = before_blanks(line, word);
	if (left > line && left[-1] == ']')
		for (left--; left > line && *left != '[';)
			left--;
	return read_thread(line, before_blanks(line, left), &event) ? lacks : lacks | LACKS_THREAD;
}

static const char *hint_perf(const char *bytes, size_t length)
{
	static const char *const hints[] = {
		[LACKS_TIME] = "it has events without times; print them with perf script -F +time",
		[LACKS_THREAD] = "it has events without threads; print them with perf script -F +tid",
		[LACKS_TIME | LACKS_THREAD] = "it has events without threads and times; print them with perf script -F +tid,+time",
	};
	const char *end = bytes + length, *newline;

	for (; (newline = memchr(bytes, '\n', (size_t)(end - bytes))); bytes = newline + 1) {
		const char *name = *bytes == '#' ? NULL : find_tracepoint(bytes, newline);

		if (name)
			return hints[lacks_of(bytes, name)];
	}
	return NULL;
}

const struct import_format import_perf = {.name = "perf", .words = "what perf script prints", .is = is_perf, .read = read_perf, .hint = hint_perf};
