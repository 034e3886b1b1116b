/* What perf script prints of tracepoints: comm tid [cpu] time: system:event: payload. */
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "import/text.h"

/* "1234" or "1200/1234", pid and tid, at the end of `text`; returns where it begins, NULL: it is none. */
static const char *read_thread(const char *text, const char *end, struct text_event *event)
{
	const char *at = end;
	int64_t number = 0, group = 0;
	const char *slash;

	while (at > text && (isdigit((unsigned char)at[-1]) || at[-1] == '/'))
		at--;
	if (at > text && at[-1] == '-' && (at - 1 == text || at[-2] == ' ')) /* -1: a thread that is gone */
		return NULL;
	slash = memchr(at, '/', (size_t)(end - at));
	if (slash && number_integer(at, (size_t)(slash - at), &group) < 0)
		return NULL;
	if (slash ? number_integer(slash + 1, (size_t)(end - slash - 1), &number) < 0
		  : at == end || number_integer(at, (size_t)(end - at), &number) < 0)
		return NULL;
	if (number > INT32_MAX || group > INT32_MAX || at == text || at[-1] != ' ')
		return NULL;
	event->tid = (int32_t)number;
	event->tgid = (int32_t)group;
	return at;
}

/* ":1234" is what perf calls a thread whose name it does not know. */
static void take_comm(struct text_event *event, const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	event->comm = from;
	event->comm_length = *from == ':' ? 0 : (size_t)(to - from);
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
	while (at < end && *at == ' ')
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

/* "sched:sched_switch: ", perhaps behind a count. */
static const char *read_name(const char *at, const char *end, struct text_event *event)
{
	const char *colon, *second;

	at = skip_blanks(at, end);
	for (colon = at; colon < end && isdigit((unsigned char)*colon);)
		colon++;
	if (colon > at && colon < end && *colon == ' ')
		at = skip_blanks(colon, end);
	colon = memchr(at, ':', (size_t)(end - at));
	second = colon ? memchr(colon + 1, ':', (size_t)(end - colon - 1)) : NULL;
	if (!second || memchr(at, ' ', (size_t)(second - at)) || !take_part(event->system, at, colon) ||
	    !take_part(event->name, colon + 1, second))
		return NULL;
	return second + 1;
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
	while (left > line && left[-1] == ' ')
		left--;
	if (left > line && left[-1] == ']') {
		const char *open = left;

		while (open > line && *open != '[')
			open--;
		if (!read_cpu(open, left, event))
			return false;
		for (left = open; left > line && left[-1] == ' ';)
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
		if (at[-1] == ' ' && isdigit((unsigned char)*at) && read_from(line, end, at, event))
			return true;
	return false;
}

/* A line below an event that was recorded with its call stack: an address and a function. */
static bool is_stack(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	return at > 0 && at + 8 < length && isxdigit((unsigned char)line[at]) && isxdigit((unsigned char)line[at + 7]);
}

/* "... PERF_RECORD_LOST lost 12": of which CPU, perf does not say there; the one of the next event is as good as any. */
static uint64_t lost_events(const char *line, size_t length)
{
	static const char mark[] = "PERF_RECORD_LOST lost ";
	const char *at = memmem(line, length, mark, sizeof(mark) - 1);
	uint64_t count = 0;

	if (at) {
		at += sizeof(mark) - 1;
		number_count(at, strspn(at, "0123456789"), &count);
	}
	return count;
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

static int read_perf(struct import *import, struct import_input *input)
{
	struct text *text = text_begin(import, input);
	struct text_event event = {0};
	uint64_t lost;
	size_t length;
	char *line;
	int status;

	if (!text)
		return -1;
	while ((status = lines_next(&input->lines, &line, &length)) > 0 && !stream_output_closed(import_stream(import))) {
		if (length == 0 || *line == '#')
			continue;
		lost = lost_events(line, length);
		if (lost)
			text_lost(text, event.cpu, lost);
		else if (read_line(line, length, &event))
			status = text_event(text, &event, input->lines.number);
		else if (is_stack(line, length))
			text_trouble(text, "call stacks are left out", false, input->lines.number);
		else
			text_trouble(text, "this is no event", true, input->lines.number);
		if (status < 0)
			break;
	}
	return text_end(text) < 0 || status < 0 ? -1 : 0;
}

const struct import_format import_perf = {"perf", is_perf, read_perf, NULL};
