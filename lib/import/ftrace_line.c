#include "import/ftrace_line.h"

#include <ctype.h>
#include <stdio.h>

#include "import/text.h"
#include "import/text_span.h"

/*
 * ftrace_prefix: removes prefixes of a line of ftrace text.
 *
 * A kernel that dumps its trace into its log (ftrace_dump_on_oops) puts the log's time before each line, and syslog puts
 * its own before that. trace-cmd report puts the name of the instance or the file before each line if it prints several.
 */

/*
 * Tells whether a text is one that dmesg and the journal put between brackets: a time, "10363.661789", "+0.000012", "Fri Nov 21 10:00:01 2026" in
 * any language; or the thread or CPU that wrote to the log, "T12", "C1". Other letters belong to a date only if the text has the colon of a time.
 */
static bool is_stamp(struct text_span span)
{
	bool digits = false, words = false;

	for (const char *at = span.at; at < span.end; at++) {
		bool letter = isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80;

		if (!letter && !is_digit(*at) && !strchr(" .,:+-<>", *at))
			return false;
		digits |= is_digit(*at);
		words |= letter && *at != 'T' && *at != 'C';
	}
	return digits && (!words || find(span, ":"));
}

/* The text behind "[...]", if a blank or another '[' follows. */
static struct text_span behind_stamp(struct text_span line)
{
	const char *close = begins_with(line, "[") ? memchr(line.at, ']', text_span_length(line)) : NULL;

	if (!close || close + 1 == line.end || !strchr(" [", close[1]) || !is_stamp((struct text_span){line.at + 1, close}))
		return line;
	return trimmed((struct text_span){close + 1, line.end});
}

/* The text behind "2026-11-21T10:00:01,123456+00:00 ". */
static struct text_span behind_date(struct text_span line)
{
	static const char shape[] = "0000-00-00T00:00:00";
	const char *at = line.at;

	for (const char *part = shape; *part; part++, at++)
		if (at == line.end || (is_digit(*part) ? !is_digit(*at) : *at != *part))
			return line;
	while (at < line.end && *at != ' ')
		at++;
	return trimmed((struct text_span){at, line.end});
}

/* The text behind "<4>", if '[' follows. */
static struct text_span behind_level(struct text_span line)
{
	const char *at = line.at + 1;

	if (!begins_with(line, "<"))
		return line;
	while (at < line.end && is_digit(*at))
		at++;
	return begins_with((struct text_span){at, line.end}, ">[") ? (struct text_span){at + 1, line.end} : line;
}

/* The text behind "kern  :warn  : ", as dmesg spells facility and level. */
static struct text_span behind_facility(struct text_span line)
{
	struct text_span rest;

	if (!begins_with(line, "kern "))
		return line;
	rest = trimmed((struct text_span){line.at + strlen("kern"), line.end});
	if (!begins_with(rest, ":"))
		return line;
	for (rest.at++; rest.at < rest.end && isalpha((unsigned char)*rest.at);)
		rest.at++;
	rest = trimmed(rest);
	return begins_with(rest, ": ") ? trimmed((struct text_span){rest.at + 1, rest.end}) : line;
}

/* The text behind " kernel: ". If the event's own text has " kernel: ", the time of the event with its ": " stands before it. */
static struct text_span behind_syslog(struct text_span line)
{
	static const char mark[] = " kernel: ";
	const char *at = find(line, mark);
	struct text_span before = {line.at, at};

	return at && !find(before, ": ") && !find(before, "[") ? (struct text_span){at + sizeof(mark) - 1, line.end} : line;
}

/*
 * The rest of a line after "Nov 21 10:00:00 host kernel: <4>[  281.043459][    T1] ", or after forms of this by dmesg and the journal, such
 * as "kern  :warn  : [Fri Nov 21 10:00:01 2026] ". Any part may be absent.
 */
static struct text_span prefix_log(struct text_span line)
{
	line = behind_date(behind_facility(line));
	line = behind_syslog(behind_stamp(line));
	return behind_stamp(behind_stamp(behind_level(line)));
}

/*
 * Removes "NAME: " before a thread's name, which the kernel and trace-cmd pad with blanks to this width. Returns NAME or an empty span.
 */
static struct text_span prefix_buffer(struct text_span *thread, size_t width)
{
	struct text_span name = {thread->at, thread->at};

	if (text_span_length(*thread) <= width)
		return name;
	name = trimmed((struct text_span){thread->at, thread->end - width});
	if (name.at == name.end || name.end[-1] != ':')
		return (struct text_span){thread->at, thread->at};
	name.end--;
	thread->at = thread->end - width;
	return name;
}

struct text_span prefix_word(struct text_span *line)
{
	struct text_span name = {line->at, line->at};

	while (name.end < line->end && *name.end != ' ')
		name.end++;
	if (name.end == line->end || name.end == name.at || name.end[-1] != ':')
		return (struct text_span){line->at, line->at};
	*line = trimmed((struct text_span){name.end, line->end});
	name.end--;
	return name;
}

/*
 * ftrace_event: reads the part after the time in a line of ftrace text: "EVENT: PAYLOAD", and the kernel's other spellings.
 */

static bool copy_name(char name[TEXT_NAME], struct text_span span)
{
	size_t length = (size_t)(span.end - span.at);

	if (length == 0 || length >= TEXT_NAME)
		return false;
	memcpy(name, span.at, length);
	name[length] = '\0';
	return true;
}

static void take_payload(struct text_span rest, struct text_event *event)
{
	rest = trimmed(rest);
	event->payload = rest.at;
	event->length = (size_t)(rest.end - rest.at);
}

/* The kernel prints a call's result as a `long`: the topmost 4095 numbers of 32 bits are errors of a 32-bit kernel. */
static int64_t result_of(int64_t value)
{
	return value >= INT64_C(0xfffff001) && value <= UINT32_MAX ? value - UINT32_MAX - 1 : value;
}

/* Takes a system call in the kernel's own spelling: "sys_read(fd: 3, ...)" or "sys_read -> 0x1". */
static bool take_syscall(struct text_span rest, struct text_event *event)
{
	static char payload[32];
	struct text_span name = {rest.at, rest.at};
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
	length = snprintf(payload, sizeof(payload), "ret=%lld", (long long)result_of(value));
	take_payload((struct text_span){payload, payload + length}, event);
	return true;
}

/* Takes the function tracer's "do_exit <-sys_exit". */
static bool take_function(struct text_span rest, struct text_event *event)
{
	const char *arrow = find(rest, " <-");

	if (!arrow || memchr(rest.at, ' ', (size_t)(arrow - rest.at)))
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "function");
	take_payload(rest, event);
	return true;
}

static bool is_numbers(struct text_span span)
{
	for (const char *at = span.at; at < span.end; at++)
		if (!is_digit(*at) && *at != ' ' && *at != '.')
			return false;
	return find(span, " ") && find(span, ".");
}

/* Takes what the tracers timerlat, "#1     context    irq timer_latency       932 ns", hwlat, and osnoise print; osnoise prints only numbers. */
static bool take_measured(struct text_span rest, struct text_event *event)
{
	const char *name = "osnoise";

	if (begins_with(rest, "#"))
		name = find(rest, " timer_latency ") ? "timerlat" : find(rest, " inner/outer(us): ") ? "hwlat" : NULL;
	else if (!is_numbers(rest))
		name = NULL;
	if (!name)
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, "%s", name);
	take_payload(rest, event);
	return true;
}

/* Takes a switch or wake-up as latency tracers print it: "0:120:R ==> [003] 312:100:R kworker", "0:120:R   + [003] 312:100:R kworker". */
static bool take_scheduling(struct text_span rest, struct text_event *event)
{
	bool is_switch = find(rest, " ==> [");

	if (rest.at == rest.end || !is_digit(*rest.at) || !find(rest, ":") || (!is_switch && !find(rest, "   + [")))
		return false;
	snprintf(event->system, TEXT_NAME, "ftrace");
	snprintf(event->name, TEXT_NAME, is_switch ? "context_switch" : "wakeup");
	take_payload(rest, event);
	return true;
}

/* Takes the text that a program wrote to trace_marker; a kernel without its own symbols prints 0 as the function. */
static bool take_marker(struct text_span rest, struct text_event *event)
{
	static const char *const marks[] = {"tracing_mark_write:", "0: "};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!begins_with(rest, marks[i]))
			continue;
		rest.at += strlen(marks[i]);
		snprintf(event->system, TEXT_NAME, "ftrace");
		snprintf(event->name, TEXT_NAME, "print");
		event->field = "buf";
		take_payload(rest, event);
		return true;
	}
	return false;
}

/* Takes "EVENT: PAYLOAD" or "SYSTEM:EVENT: PAYLOAD". */
static bool take_named(struct text_span rest, struct text_event *event)
{
	struct text_span name = {rest.at, rest.at};

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

/* The text behind "(+12)", the time since the event before, which trace-cmd report prints with --ts-diff. */
static struct text_span behind_difference(struct text_span rest)
{
	struct text_span digits = {rest.at + 2, rest.at + 2};

	if (!begins_with(rest, "(+"))
		return rest;
	while (digits.end < rest.end && is_digit(*digits.end))
		digits.end++;
	return digits.end > digits.at && digits.end < rest.end && *digits.end == ')' ? trimmed((struct text_span){digits.end + 1, rest.end}) : rest;
}

/* Sets the event's system, name and payload (valid until the next call). False: the text is no event. */
static bool ftrace_event_take(struct text_span rest, struct text_event *event)
{
	rest = behind_difference(trimmed(rest));
	return take_syscall(rest, event) || take_marker(rest, event) || take_scheduling(rest, event) || take_named(rest, event) ||
	       take_measured(rest, event) || take_function(rest, event);
}

/* --- thread, group ------------------------------------------------------------------------------------------------ */

/* Reads and removes "( 1234)" or "(-------)" at the end. */
static void take_group(struct text_span *left, struct text_event *event)
{
	struct text_span inner = {.end = left->end - 1};
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

/* Tells whether the kernel had forgotten the name: its text then has "<...>", that of other tools "<TID>". */
static bool is_forgotten(struct text_span comm, struct text_span tid)
{
	struct text_span inner = {comm.at + 1, comm.end - 1};

	if (text_span_length(comm) < 3 || *comm.at != '<' || comm.end[-1] != '>')
		return false;
	return (text_span_length(inner) == 3 && begins_with(inner, "...")) ||
	       (text_span_length(inner) == text_span_length(tid) && memcmp(inner.at, tid.at, text_span_length(tid)) == 0);
}

/* The width to which a thread's name is padded; latency-format also cuts it to this width, function_graph does not pad it. */
enum { WIDTH = 16, WIDTH_LATENCY = 8, WIDTH_NONE = 0 };

/* Takes "COMM-TID"; the kernel writes <idle> for the idle thread. */
static bool take_thread(struct text_span left, size_t width, struct text_event *event)
{
	struct text_span comm = left, buffer;
	const char *dash = left.end;
	uint64_t tid;

	while (dash > left.at && is_digit(dash[-1]))
		dash--;
	if (dash == left.end || dash == left.at || dash[-1] != '-' || !read_count((struct text_span){dash, left.end}, &tid) ||
	    tid > INT32_MAX)
		return false;
	event->tid = (int32_t)tid;
	comm.end = dash - 1;
	if (width) {
		buffer = prefix_buffer(&comm, width);
		event->buffer = buffer.at;
		event->buffer_length = text_span_length(buffer);
	}
	comm = trimmed(comm);
	event->comm = comm.at;
	if (!is_forgotten(comm, (struct text_span){dash, left.end}))
		event->comm_length = text_span_length(comm);
	return true;
}

/* --- flags -------------------------------------------------------------------------------------------------------- */

/*
 * The bits of common_flags that the letters of each column stand for, by kernel/trace/trace_output.c. Kernels with PREEMPT_RT's patches
 * for lazy rescheduling have seven columns; one of them, for the lazy request, is before the column of interrupts.
 */
enum { INTERRUPT_COLUMN = 2, COLUMNS_LAZY = 7, COLUMNS_MAX = 8 };

static const struct {
	int column;
	const char *letters;
	int bits;
} flag_letters[] = {
	{0, "dD", 0x01}, {0, "bD", 0x80}, {1, "lLbB", 0x02}, {1, "nNbB", 0x04}, {1, "pNLB", 0x20},
	{2, "hHZ", 0x08}, {2, "sH", 0x10}, {2, "zZ", 0x40},
};

static bool is_flags(struct text_span span)
{
	if (text_span_length(span) < 4 || text_span_length(span) > COLUMNS_MAX)
		return false;
	for (const char *at = span.at; at < span.end; at++)
		if (!isalnum((unsigned char)*at) && *at != '.' && *at != '#')
			return false;
	return !is_digit(*span.at);
}

static void take_flags(struct text_span span, struct text_event *event)
{
	bool lazy = text_span_length(span) >= COLUMNS_LAZY;
	int flags = 0;

	event->flags_bare = true;
	for (const char *at = span.at; at < span.end; at++)
		event->flags_bare &= *at == '.';

	for (size_t i = 0; i < sizeof(flag_letters) / sizeof(flag_letters[0]); i++) {
		int column = flag_letters[i].column;

		if (strchr(flag_letters[i].letters, span.at[column + (lazy && column == INTERRUPT_COLUMN)]))
			flags |= flag_letters[i].bits;
	}
	event->flags = flags;
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

/* Reads a line whose "[CPU]" begins at `open`. */
static bool read_at(struct text_span line, const char *open, struct text_event *event)
{
	const char *close = memchr(open, ']', (size_t)(line.end - open));
	struct text_span left = trimmed((struct text_span){line.at, open}), rest, word;
	uint64_t cpu;
	size_t length;

	if (!close)
		return false;
	rest = (struct text_span){close + 1, line.end};
	if (rest.at == rest.end || *rest.at != ' ' || !read_count((struct text_span){open + 1, close}, &cpu) ||
	    cpu > UINT32_MAX)
		return false;
	*event = (struct text_event){.cpu = (uint32_t)cpu, .flags = TEXT_FLAGS_UNKNOWN};
	take_group(&left, event);
	rest = trimmed(rest);
	word = (struct text_span){rest.at, memchr(rest.at, ' ', (size_t)(rest.end - rest.at))};
	if (word.end && is_flags(word)) {
		take_flags(word, event);
		rest.at = word.end;
		rest = trimmed(rest);
	}
	length = text_time(rest.at, (size_t)(rest.end - rest.at), ':', &event->ts);
	rest.at += length;
	return length && take_thread(left, WIDTH, event) && ftrace_event_take(rest, event);
}

static bool read_plain(struct text_span line, struct text_event *event)
{
	for (const char *open = line.at + 1; open < line.end; open++)
		if (*open == '[' && (open[-1] == ' ' || open[-1] == ')') && read_at(line, open, event))
			return true;
	return false;
}

/* Takes the head of a line in latency-format, before the time: COMM-TID, then CPU and flags in one word. */
static bool take_latency_head(struct text_span left, struct text_event *event)
{
	struct text_span flags = trimmed(left), cpu;
	uint64_t number;

	for (cpu.at = flags.end; cpu.at > left.at && cpu.at[-1] != ' ';)
		cpu.at--;
	for (cpu.end = cpu.at; cpu.end < flags.end && is_digit(*cpu.end);)
		cpu.end++;
	flags.at = cpu.end;
	if (!is_flags(flags) || !read_count(cpu, &number) || number > UINT32_MAX ||
	    !take_thread(trimmed((struct text_span){left.at, cpu.at}), WIDTH_LATENCY, event))
		return false;
	event->cpu = (uint32_t)number;
	take_flags(flags, event);
	if (event->comm_length == WIDTH_LATENCY) /* the name may be cut, so it counts as unknown */
		event->comm_length = 0;
	return true;
}

/* Reads a line in latency-format. The kernel prints times since the beginning of the trace, "1234us+: "; trace-cmd prints "12.345678: ". */
static bool read_latency(struct text_span line, struct text_event *event)
{
	const char *mark = find(line, "us");
	struct text_span time;
	uint64_t value;

	*event = (struct text_event){0};
	while (mark && !(mark > line.at && is_digit(mark[-1]) && line.end - mark >= 4 && mark[3] == ':'))
		mark = find((struct text_span){mark + 1, line.end}, "us");
	if (mark) {
		time = (struct text_span){mark, mark};
		while (time.at > line.at && is_digit(time.at[-1]))
			time.at--;
		if (!read_count(time, &value) || value > INT64_MAX / 1000 ||
		    !take_latency_head((struct text_span){line.at, time.at}, event))
			return false;
		event->ts = (int64_t)value * 1000;
		return ftrace_event_take((struct text_span){mark + 4, line.end}, event);
	}
	for (const char *at = line.at + 1; at < line.end; at++) {
		size_t length = at[-1] == ' ' ? text_time(at, (size_t)(line.end - at), ':', &event->ts) : 0;

		if (length)
			return take_latency_head((struct text_span){line.at, at}, event) &&
			       ftrace_event_take((struct text_span){at + length, line.end}, event);
	}
	return false;
}

/* Reads "CPU:2 [LOST 12 EVENTS]", "CPU:2 [12 EVENTS DROPPED]" or "CPU:2 [EVENTS DROPPED]". */
static bool read_loss(struct text_span line, struct text_event *event, uint64_t *count)
{
	struct text_span number, buffer = {line.at, line.at};
	uint64_t cpu;
	const char *open;

	if (!begins_with(line, "CPU:"))
		buffer = prefix_word(&line);
	if (!begins_with(line, "CPU:") || !(open = find(line, " [")) || (!find(line, "LOST") && !find(line, "DROPPED")))
		return false;
	number = trimmed((struct text_span){line.at + 4, open});
	if (!read_count(number, &cpu) || cpu > UINT32_MAX)
		return false;
	*event = (struct text_event){.cpu = (uint32_t)cpu, .buffer = buffer.at, .buffer_length = text_span_length(buffer)};
	for (number.at = open; number.at < line.end && !is_digit(*number.at);)
		number.at++;
	for (number.end = number.at; number.end < line.end && is_digit(*number.end);)
		number.end++;
	if (!read_count(number, count))
		*count = 0;
	return true;
}

/*
 * Reads "##### CPU 1 buffer started ####". The kernel prints this line only for a ring that was overwritten: an unknown number of earlier
 * events of this CPU is lost.
 */
static bool read_start(struct text_span line, struct text_event *event, uint64_t *count)
{
	static const char mark[] = "##### CPU ";
	struct text_span number;
	uint64_t cpu;

	if (!begins_with(line, mark))
		return false;
	number = (struct text_span){line.at + sizeof(mark) - 1, find(line, " buffer started ####")};
	if (!number.end || !read_count(number, &cpu) || cpu > UINT32_MAX)
		return false;
	*event = (struct text_event){.cpu = (uint32_t)cpu};
	*count = 0;
	return true;
}

/* Where a comment begins that is an event: it is alone in the last column, not behind a function. NULL: there is none. */
static const char *graph_comment(struct text_span line)
{
	const char *open = find(line, "/* "), *bar = open ? memrchr(line.at, '|', (size_t)(open - line.at)) : NULL;
	bool closed = line.end - line.at > 2 && memcmp(line.end - 2, "*/", 2) == 0;

	return bar && closed && open + 3 <= line.end - 2 && text_span_length(trimmed((struct text_span){bar + 1, open})) == 0 ? open + 3 : NULL;
}

/*
 * Reads a line of function_graph: "12.345678 | 0) COMM-TID | ... | comment", where the time and the thread may be absent. The comment is
 * EVENT: PAYLOAD. Other lines have a function in its place: "0.204 us | do_exit();", "{", "}".
 */
static enum ftrace_line read_graph(struct text_span line, struct text_event *event)
{
	const char *close = find(line, ") "), *bar = memchr(line.at, '|', text_span_length(line)), *comment = graph_comment(line);
	bool timed = bar && close && bar < close && text_time(line.at, text_span_length(line), ' ', &event->ts);
	uint64_t number;

	if (!close || !read_count(trimmed((struct text_span){timed ? bar + 1 : line.at, close}), &number) || number > UINT32_MAX)
		return FTRACE_OTHER;
	event->cpu = (uint32_t)number;
	if (!comment)
		return FTRACE_GRAPH;
	bar = memchr(close, '|', (size_t)(comment - close));
	if (!timed || !bar || !take_thread(trimmed((struct text_span){close + 1, bar}), WIDTH_NONE, event) ||
	    !ftrace_event_take((struct text_span){comment, line.end - 2}, event))
		return FTRACE_BARE;
	return FTRACE_EVENT;
}

/* Recognizes the line that systrace adds after the last event: "dummy-0000 [000] 0.0: 0: trace_event_clock_sync: ..." */
static bool is_made_up(const struct text_event *event)
{
	return event->ts == 0 && event->tid == 0 && event->comm_length == 5 && memcmp(event->comm, "dummy", 5) == 0;
}

/* Recognizes "=> do_exit", and the line above such lines: "COMM-TID [CPU] FLAGS TIME: <stack trace>". */
static bool is_stack(struct text_span line)
{
	static const char *const heads[] = {": <stack trace>", ": <user stack trace>", ": <user stack unavailable>"};

	if (begins_with(line, "=> "))
		return true;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *head = find(line, heads[i]);

		if (head && head + strlen(heads[i]) == line.end)
			return true;
	}
	return false;
}

static bool is_nothing(struct text_span line)
{
	static const char *const headings[] = {
		"cpus=", "version = ", "Dumping ftrace buffer:", "(ftrace buffer empty)", "capturing trace...", "TRACE:",
	};

	if (line.at == line.end)
		return true;
	prefix_word(&line);
	if (*line.at == '-') { /* a ruler */
		while (line.at < line.end && *line.at == '-')
			line.at++;
		return line.at == line.end;
	}
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (begins_with(line, headings[i]))
			return true;
	return (begins_with(line, "CPU ") && find(line, " is empty")) ||
	       (begins_with(line, "CPU:") && find(line, " [SUBBUFFER START]"));
}

/* Recognizes "COMM-TID [CPU] FLAGS COUNT: EVENT" and "COMM-TID CPUFLAGS COUNT: EVENT": the time is a count of unknown units. */
static bool is_ticks(struct text_span line)
{
	for (const char *at = line.at + 1; at < line.end; at++) {
		struct text_span head = {line.at, at}, word;
		struct text_event event = {0};
		const char *end = at;

		while (at[-1] == ' ' && end < line.end && is_digit(*end))
			end++;
		if (end == at || line.end - end < 3 || end[0] != ':' || end[1] != ' ')
			continue;
		if (take_latency_head(head, &event))
			return true;
		head = trimmed(head);
		for (word.at = word.end = head.end; word.at > head.at && word.at[-1] != ' ';)
			word.at--;
		if (is_flags(word))
			head = trimmed((struct text_span){head.at, word.at});
		head.end = text_span_length(head) && head.end[-1] == ']' ? memrchr(head.at, '[', text_span_length(head)) : NULL;
		if (!head.end)
			return false;
		head = trimmed(head);
		take_group(&head, &event);
		return take_thread(head, WIDTH, &event);
	}
	return false;
}

enum ftrace_line ftrace_line_read(const char *line, size_t length, struct text_event *event, uint64_t *count)
{
	struct text_span span = prefix_log(trimmed((struct text_span){line, line + length}));
	bool comment = *line == '#';

	/* first, because a thread's name may look like any of the other lines */
	if (!comment && (read_plain(span, event) || read_latency(span, event)))
		return is_made_up(event) ? FTRACE_NOTHING : FTRACE_EVENT;
	if (read_loss(span, event, count) || read_start(span, event, count))
		return FTRACE_LOST;
	if (comment || is_nothing(span))
		return FTRACE_NOTHING;
	if (is_stack(span))
		return FTRACE_STACK;
	if (*span.at == '#')
		return FTRACE_NOTHING;
	*event = (struct text_event){.flags = TEXT_FLAGS_UNKNOWN};
	return is_ticks(span) ? FTRACE_TICKS : read_graph(span, event);
}
