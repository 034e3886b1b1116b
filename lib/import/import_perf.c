/* What perf script prints: comm tid [cpu] time: system:event: payload, or comm tid [cpu] time: period event: address. */
#include <ctype.h>
#include <string.h>

#include "import/span.h"
#include "import/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "1234" or "1200/1234", pid and tid, at the end of `text`; returns where it begins, NULL: it is none. */
static const char *read_thread(const char *text, const char *end, struct text_event *event)
{
	const char *at = end;
	int64_t number = 0, group = 0;
	const char *slash;

	while (at > text && (is_digit(at[-1]) || at[-1] == '/'))
		at--;
	if (at > text && at[-1] == '-' && (at - 1 == text || is_blank(at[-2]))) /* -1: a thread that is gone */
		return NULL;
	slash = memchr(at, '/', (size_t)(end - at));
	if (slash && number_integer(at, (size_t)(slash - at), &group) < 0)
		return NULL;
	if (slash ? number_integer(slash + 1, (size_t)(end - slash - 1), &number) < 0
		  : at == end || number_integer(at, (size_t)(end - at), &number) < 0)
		return NULL;
	if (number > INT32_MAX || group > INT32_MAX || at == text || !is_blank(at[-1]))
		return NULL;
	event->tid = (int32_t)number;
	event->tgid = (int32_t)group;
	return at;
}

/* ":1234" is what perf calls a thread whose name it does not know. */
static void take_comm(struct text_event *event, const char *from, const char *to)
{
	struct span comm = trimmed((struct span){from, to});

	event->comm = comm.at;
	event->comm_length = *comm.at == ':' ? 0 : span_length(comm);
}

/* "[003]", which perf leaves out where it did not record the CPU. */
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

/* "sched:sched_switch: ". Returns what stands behind it, NULL: it is none. */
static const char *read_tracepoint(const char *at, const char *end, struct text_event *event)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));
	const char *second = colon ? memchr(colon + 1, ':', (size_t)(end - colon - 1)) : NULL;

	if (!second || memchr(at, ' ', (size_t)(second - at)) || !take_part(event->system, at, colon) ||
	    !take_part(event->name, colon + 1, second))
		return NULL;
	return second + 1;
}

/* "cycles:", "cycles:upp:", "cpu/event=0x3c/:", which is no tracepoint: system and name are perf:cycles. Returns as above. */
static const char *read_counter(const char *at, const char *end, struct text_event *event)
{
	const char *last = at, *colon;

	while (last < end && (isalnum((unsigned char)*last) || strchr("_-./=,:", *last)))
		last++;
	if (last == at || last[-1] != ':' || !(last == end || is_blank(*last)))
		return NULL;
	last--;
	colon = memchr(at, ':', (size_t)(last - at));
	if (colon && strspn(colon + 1, "ukhHGpPSDWeb") != (size_t)(last - colon - 1)) /* else what is counted: user, kernel, ... */
		return NULL;
	memcpy(event->system, "perf", 5);
	return take_part(event->name, at, colon ? colon : last) ? last + 1 : NULL;
}

/* The event's name, perhaps behind a period. Returns as above. */
static const char *read_name(const char *at, const char *end, struct text_event *event)
{
	const char *behind, *counter;

	at = skip_blanks(at, end);
	for (behind = at; behind < end && is_digit(*behind);)
		behind++;
	if (behind > at && behind < end && is_blank(*behind)) {
		read_count((struct span){at, behind}, &event->period);
		at = skip_blanks(behind, end);
	}
	counter = read_counter(at, end, event);
	if (counter) {
		event->field = "ip";
		return counter;
	}
	event->period = 0;
	return read_tracepoint(at, end, event);
}

/* Where a time begins at `at`, behind the CPU or, where there is none, behind the thread. */
static bool read_from(const char *line, const char *end, const char *at, struct text_event *event)
{
	const char *left = at;
	size_t length;

	*event = (struct text_event){.flags = TEXT_FLAGS_UNKNOWN};
	length = text_time(at, (size_t)(end - at), ':', &event->ts);
	if (!length)
		return false;
	at += length;
	while (left > line && is_blank(left[-1]))
		left--;
	if (left > line && left[-1] == ']') {
		const char *open = left;

		while (open > line && *open != '[')
			open--;
		if (!read_cpu(open, left, event))
			return false;
		for (left = open; left > line && is_blank(left[-1]);)
			left--;
	}
	left = read_thread(line, left, event);
	if (!left)
		return false;
	take_comm(event, line, left);
	at = read_name(at, end, event);
	if (!at)
		return false;
	event->payload = skip_blanks(at, end);
	event->length = (size_t)(end - event->payload);
	return true;
}

static bool read_line(const char *line, size_t length, struct text_event *event)
{
	const char *end = line + length;

	for (const char *at = line + 1; at < end; at++)
		if (is_blank(at[-1]) && is_digit(*at) && read_from(line, end, at, event))
			return true;
	return false;
}

/* A line below an event that was recorded with its call stack: an address, a function, or both. */
static bool is_stack(const char *line, size_t length)
{
	const char *at = skip_blanks(line, line + length), *hexadecimal = at;

	while (at < line + length && isxdigit((unsigned char)*at))
		at++;
	return *line == '\t' || (hexadecimal > line && at > hexadecimal && (at == line + length || is_blank(*at)));
}

/*
 * "... PERF_RECORD_LOST lost 12": of which CPU, perf does not say there; the one of the next event is as good as any. 0:
 * it is no such line.
 */
static uint64_t lost_events(const char *line, size_t length)
{
	const char *at = memmem(line, length, "PERF_RECORD_LOST", 16);
	uint64_t count = 0;

	if (!at)
		return 0;
	while (at < line + length && !is_digit(*at))
		at++;
	number_count(at, strspn(at, "0123456789"), &count);
	return count;
}

/* perf's own records, about programs and their memory, where they were asked for. */
static bool is_record(const char *line, size_t length)
{
	return memmem(line, length, "PERF_RECORD_", 12) != NULL;
}

static bool is_event(const char *line, size_t length)
{
	struct text_event event;

	return read_line(line, length, &event);
}

static bool is_perf(const char *bytes, size_t length)
{
	return text_any_line(bytes, length, is_event);
}

/* The context is the last event so far. */
static int take_line(struct text *text, void *context, const char *line, size_t length, uint64_t number)
{
	struct text_event *event = context;
	uint64_t lost;

	if (skip_blanks(line, line + length) == line + length || *line == '#')
		return 0;
	lost = lost_events(line, length);
	if (lost)
		text_lost(text, event->cpu, lost);
	else if (is_record(line, length))
		text_trouble(text, "perf's own records are left out", false, number, 1);
	else if (read_line(line, length, event))
		return text_event(text, event, number);
	else if (is_stack(line, length))
		text_trouble(text, "call stacks are left out", false, number, 1);
	else
		text_trouble(text, "this is no event", true, number, 1);
	return 0;
}

static int read_perf(struct import *import, struct import_input *input)
{
	struct text_event event = {0};

	return text_read(import, input, take_line, NULL, &event);
}

const struct import_format import_perf = {"perf", is_perf, read_perf, NULL};
