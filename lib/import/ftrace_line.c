#include "import/ftrace_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* A part of a line. */
struct span {
	const char *at, *end;
};

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static struct span trimmed(struct span span)
{
	while (span.at < span.end && *span.at == ' ')
		span.at++;
	while (span.end > span.at && span.end[-1] == ' ')
		span.end--;
	return span;
}

static bool begins_with(struct span span, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(span.end - span.at) >= length && memcmp(span.at, text, length) == 0;
}

static const char *find(struct span span, const char *text)
{
	return span.at < span.end ? memmem(span.at, (size_t)(span.end - span.at), text, strlen(text)) : NULL;
}

static bool read_count(struct span span, uint64_t *value)
{
	return number_count(span.at, (size_t)(span.end - span.at), value) == 0;
}

static bool copy_name(char name[TEXT_NAME], struct span span)
{
	size_t length = (size_t)(span.end - span.at);

	if (length == 0 || length >= TEXT_NAME)
		return false;
	memcpy(name, span.at, length);
	name[length] = '\0';
	return true;
}

/* --- thread, group ------------------------------------------------------------------------------------------------ */

/* "( 1234)" or "(-------)" at the end, which is taken away. */
static void take_group(struct span *left, struct text_event *event)
{
	struct span inner = {.end = left->end - 1};
	uint64_t group;

	if (left->end - left->at < 3 || left->end[-1] != ')')
		return;
	for (inner.at = inner.end; inner.at > left->at && inner.at[-1] != '(';)
		inner.at--;
	if (inner.at == left->at)
		return;
	left->end = inner.at - 1;
	*left = trimmed(*left);
	inner = trimmed(inner);
	if (read_count(inner, &group) && group <= INT32_MAX)
		event->tgid = (int32_t)group;
}

/* "COMM-TID", where the kernel writes <idle> for the idle thread and <...> for a name that it forgot. */
static bool take_thread(struct span left, struct text_event *event)
{
	const char *dash = left.end;
	uint64_t tid;

	while (dash > left.at && is_digit(dash[-1]))
		dash--;
	if (dash == left.end || dash == left.at || dash[-1] != '-' || !read_count((struct span){dash, left.end}, &tid) ||
	    tid > INT32_MAX)
		return false;
	event->tid = (int32_t)tid;
	event->comm = left.at;
	event->comm_length = (size_t)(dash - 1 - left.at);
	if (event->comm_length == 5 && memcmp(event->comm, "<...>", 5) == 0)
		event->comm_length = 0;
	return true;
}

/* --- flags -------------------------------------------------------------------------------------------------------- */

/* Bits of common_flags, by kernel/trace/trace_output.c: what the letters of the columns stand for. */
static const struct {
	int column;
	const char *letters;
	int bits;
} flag_letters[] = {
	{0, "dD", 0x01}, {0, "bD", 0x80}, {1, "NnLlB", 0x04}, {1, "NpB", 0x20},
	{2, "hHzZ", 0x08}, {2, "sHZ", 0x10}, {2, "zZ", 0x40},
};

static bool is_flags(struct span span)
{
	if (span.end - span.at < 4 || span.end - span.at > 6)
		return false;
	for (const char *at = span.at; at < span.end; at++)
		if (!isalnum((unsigned char)*at) && *at != '.' && *at != '#')
			return false;
	return !is_digit(*span.at);
}

static int read_flags(struct span span)
{
	int flags = 0;

	for (size_t i = 0; i < sizeof(flag_letters) / sizeof(flag_letters[0]); i++)
		if (strchr(flag_letters[i].letters, span.at[flag_letters[i].column]))
			flags |= flag_letters[i].bits;
	return flags;
}

/* --- the event ---------------------------------------------------------------------------------------------------- */

static void take_payload(struct span rest, struct text_event *event)
{
	rest = trimmed(rest);
	event->payload = rest.at;
	event->length = (size_t)(rest.end - rest.at);
}

/* The kernel's own spelling of system calls: "sys_read(fd: 3, ...)" and "sys_read -> 0x1". */
static bool take_syscall(struct span rest, struct text_event *event)
{
	static char payload[32];
	struct span name = {rest.at, rest.at};
	int64_t value;
	bool entry;
	int length;

	if (!begins_with(rest, "sys_"))
		return false;
	while (name.end < rest.end && (isalnum((unsigned char)*name.end) || *name.end == '_'))
		name.end++;
	rest.at = name.end;
	entry = begins_with(rest, "(");
	if ((!entry && !begins_with(rest, " -> ")) || name.end - name.at > TEXT_NAME / 2)
		return false;
	snprintf(event->system, TEXT_NAME, "syscalls");
	snprintf(event->name, TEXT_NAME, "sys_%s_%.*s", entry ? "enter" : "exit", (int)(name.end - name.at - 4), name.at + 4);
	if (entry) {
		rest.at++;
		rest.end -= rest.end > rest.at && rest.end[-1] == ')';
		take_payload(rest, event);
		event->hexadecimal = true;
		return true;
	}
	rest.at += 4;
	if (number_integer(rest.at, (size_t)(rest.end - rest.at), &value) < 0)
		return false;
	length = snprintf(payload, sizeof(payload), "ret=%lld", (long long)value);
	take_payload((struct span){payload, payload + length}, event);
	return true;
}

/* The function tracer's "do_exit <-sys_exit". */
static bool take_function(struct span rest, struct text_event *event)
{
	static char payload[LINES_LONGEST + 32];
	const char *arrow = find(rest, " <-");
	int length;

	if (!arrow || memchr(rest.at, ' ', (size_t)(arrow - rest.at)))
		return false;
	length = snprintf(payload, sizeof(payload), "ip=%.*s parent_ip=%.*s", (int)(arrow - rest.at), rest.at,
			  (int)(rest.end - arrow - 3), arrow + 3);
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "function");
	take_payload((struct span){payload, payload + length}, event);
	return true;
}

/* What a program wrote into trace_marker. */
static bool take_marker(struct span rest, struct text_event *event)
{
	static char payload[LINES_LONGEST + 16];
	static const char mark[] = "tracing_mark_write:";
	int length;

	if (!begins_with(rest, mark))
		return false;
	rest.at += sizeof(mark) - 1;
	rest = trimmed(rest);
	length = snprintf(payload, sizeof(payload), "buf=%.*s", (int)(rest.end - rest.at), rest.at);
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "print");
	event->whole = true;
	take_payload((struct span){payload, payload + length}, event);
	return true;
}

/* "EVENT: PAYLOAD", or "SYSTEM:EVENT: PAYLOAD". */
static bool take_named(struct span rest, struct text_event *event)
{
	struct span name = {rest.at, rest.at};

	while (name.end < rest.end && (isalnum((unsigned char)*name.end) || strchr("_.-", *name.end)))
		name.end++;
	rest.at = name.end;
	if (rest.at == rest.end || *rest.at != ':')
		return false;
	rest.at++;
	if (rest.at < rest.end && *rest.at != ' ') {
		if (!copy_name(event->system, name))
			return false;
		return take_named(rest, event) && !strchr(event->name, ':');
	}
	take_payload(rest, event);
	return copy_name(event->name, name);
}

static bool take_event(struct span rest, struct text_event *event)
{
	rest = trimmed(rest);
	return take_syscall(rest, event) || take_marker(rest, event) || take_named(rest, event) || take_function(rest, event);
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

/* With "[CPU]" at `open`. */
static bool read_at(struct span line, const char *open, struct text_event *event)
{
	const char *close = memchr(open, ']', (size_t)(line.end - open));
	struct span left = trimmed((struct span){line.at, open}), rest, word;
	uint64_t cpu;
	size_t length;

	if (!close)
		return false;
	rest = (struct span){close + 1, line.end};
	if (rest.at == rest.end || *rest.at != ' ' || !read_count((struct span){open + 1, close}, &cpu) ||
	    cpu > UINT32_MAX)
		return false;
	*event = (struct text_event){.cpu = (uint32_t)cpu, .flags = TEXT_FLAGS_UNKNOWN};
	take_group(&left, event);
	rest = trimmed(rest);
	word = (struct span){rest.at, memchr(rest.at, ' ', (size_t)(rest.end - rest.at))};
	if (word.end && is_flags(word)) {
		event->flags = read_flags(word);
		rest.at = word.end;
		rest = trimmed(rest);
	}
	length = text_time(rest.at, (size_t)(rest.end - rest.at), ':', &event->ts);
	rest.at += length;
	return length && take_thread(left, event) && take_event(rest, event);
}

static bool read_plain(struct span line, struct text_event *event)
{
	for (const char *open = line.at + 1; open < line.end; open++)
		if (*open == '[' && (open[-1] == ' ' || open[-1] == ')') && read_at(line, open, event))
			return true;
	return false;
}

/* What stands before the time in latency-format: COMM-TID, then CPU and flags in one word. Names are cut after eight letters. */
static bool take_latency_head(struct span left, struct text_event *event)
{
	enum { COMM_CUT = 8 };
	struct span flags = trimmed(left), cpu;
	uint64_t number;

	for (cpu.at = flags.end; cpu.at > left.at && cpu.at[-1] != ' ';)
		cpu.at--;
	for (cpu.end = cpu.at; cpu.end < flags.end && is_digit(*cpu.end);)
		cpu.end++;
	flags.at = cpu.end;
	if (!is_flags(flags) || !read_count(cpu, &number) || number > UINT32_MAX ||
	    !take_thread(trimmed((struct span){left.at, cpu.at}), event))
		return false;
	event->cpu = (uint32_t)number;
	event->flags = read_flags(flags);
	if (event->comm_length == COMM_CUT)
		event->comm_length = 0;
	return true;
}

/* The kernel's times count from the begin of the trace, "1234us+: "; trace-cmd's are times, "12.345678: ". */
static bool read_latency(struct span line, struct text_event *event)
{
	const char *mark = find(line, "us");
	struct span time;
	uint64_t value;

	*event = (struct text_event){0};
	while (mark && !(mark > line.at && is_digit(mark[-1]) && line.end - mark >= 4 && mark[3] == ':'))
		mark = find((struct span){mark + 1, line.end}, "us");
	if (mark) {
		time = (struct span){mark, mark};
		while (time.at > line.at && is_digit(time.at[-1]))
			time.at--;
		if (!read_count(time, &value) || value > INT64_MAX / 1000 ||
		    !take_latency_head((struct span){line.at, time.at}, event))
			return false;
		event->ts = (int64_t)value * 1000;
		return take_event((struct span){mark + 4, line.end}, event);
	}
	for (const char *at = line.at + 1; at < line.end; at++) {
		size_t length = at[-1] == ' ' ? text_time(at, (size_t)(line.end - at), ':', &event->ts) : 0;

		if (length)
			return take_latency_head((struct span){line.at, at}, event) &&
			       take_event((struct span){at + length, line.end}, event);
	}
	return false;
}

/* "CPU:2 [LOST 12 EVENTS]", "CPU:2 [12 EVENTS DROPPED]", "CPU:2 [EVENTS DROPPED]" */
static bool read_loss(struct span line, struct text_event *event, uint64_t *count)
{
	struct span number;
	uint64_t cpu;
	const char *open;

	if (!begins_with(line, "CPU:") || !(open = find(line, " [")) || (!find(line, "LOST") && !find(line, "DROPPED")))
		return false;
	number = trimmed((struct span){line.at + 4, open});
	if (!read_count(number, &cpu) || cpu > UINT32_MAX)
		return false;
	event->cpu = (uint32_t)cpu;
	for (number.at = open; number.at < line.end && !is_digit(*number.at);)
		number.at++;
	for (number.end = number.at; number.end < line.end && is_digit(*number.end);)
		number.end++;
	if (!read_count(number, count))
		*count = 0;
	return true;
}

static bool is_nothing(struct span line)
{
	static const char *const headings[] = {"cpus=", "version = ", "CPU "};

	if (line.at == line.end || *line.at == '#')
		return true;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (begins_with(line, headings[i]) && (i < 2 || find(line, " is empty")))
			return true;
	return false;
}

enum ftrace_line ftrace_line_read(const char *line, size_t length, struct text_event *event, uint64_t *count)
{
	struct span span = trimmed((struct span){line, line + length});

	if (is_nothing(span))
		return FTRACE_NOTHING;
	if (read_loss(span, event, count))
		return FTRACE_LOST;
	return read_plain(span, event) || read_latency(span, event) ? FTRACE_EVENT : FTRACE_OTHER;
}
