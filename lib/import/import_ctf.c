/*
 * The output of babeltrace for a CTF trace: kernel traces by LTTng, and by perf.
 *
 *	[TIME] (+DIFFERENCE) HOST NAME: { CONTEXT }, ..., { FIELDS }
 *	timestamp = TIME, delta = DIFFERENCE, trace:hostname = HOST, name = NAME, stream.packet.context = { CONTEXT }, ...,
 *		event.fields = { FIELDS }		(--names all)
 *
 * A group is "key = value, ...". LTTng has its own names for the kernel's events and fields; the import writes the kernel's names. LTTng's
 * events do not tell the thread, unless the user asked for it as a context. Then the thread is the one that the CPU last switched to, or,
 * before the CPU's first switch, the one that this switch is from. So lines are held back until their CPUs have switched.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uthash.h>

#include "base/hash.h"
#include "base/memory.h"
#include "event/event.h"
#include "import/print_layout.h"
#include "import/text.h"
#include "import/text_span.h"

enum { GROUPS_MAX = 8, CPUS_MAX = 1 << 16, DAY = 24 * 60 * 60, TID_UNKNOWN = -1 };

/* Times from here on, in ns, are times since 1970: no machine has run for that long. */
#define EPOCH_LEAST (INT64_C(1000000000) * NSEC_PER_SEC)

/* Lines are held back until their CPUs have switched threads, but at most this many bytes. */
enum { HELD_MOST = 32 << 20 };

/* The parts of a line; the spans point into the line. */
struct ctf_line {
	int64_t ts;
	bool of_day; /* ts counts from midnight */
	bool dated;  /* by the clock of the machine that printed it, in an unknown time zone */
	struct text_span name;
	struct text_span groups[GROUPS_MAX]; /* without their braces */
	int count;
};

struct ctf_call {
	int32_t tid;
	char name[TEXT_NAME];
	UT_hash_handle hh;
};

struct cpu {
	int32_t running; /* or TID_UNKNOWN */
	int32_t first;	 /* the thread that the first switch in the held lines was from, or TID_UNKNOWN */
	bool awaited;	 /* lines are held back until its first switch */
	bool idle;	 /* no switch came while lines were held: it is taken to be idle until its next switch */
};

struct held_line {
	size_t at, length;
	uint64_t number;
};

struct reading {
	ARRAY(struct cpu) cpus;
	ARRAY(struct held_line) held;
	struct line held_text;
	int awaited; /* CPUs whose first switch is awaited */
	struct ctf_call *calls; /* the last call of each thread: old traces do not say which call returns */
	struct line own, record;
	int64_t last, days; /* for times of day: the last time, ns; the seconds of all days before the current one */
};

/* --- values ------------------------------------------------------------------------------------------------------- */

/* The closing quote of the text whose opening quote is at `at`; `end`: there is none. */
static const char *closing_quote(const char *at, const char *end)
{
	while (++at < end && *at != '"')
		at += *at == '\\';
	return at < end ? at : end;
}

/* The first of these characters outside quotes and brackets; the span's end: there is none. */
static const char *find_outside(struct text_span span, const char *these)
{
	int depth = 0;

	for (const char *at = span.at; at < span.end; at++) {
		if (depth == 0 && strchr(these, *at))
			return at;
		if (*at == '"')
			at = closing_quote(at, span.end);
		else if (*at == '{' || *at == '[' || *at == '(')
			depth++;
		else if (*at == '}' || *at == ']' || *at == ')')
			depth--;
	}
	return span.end;
}

/* Removes the next "key = value" from a group. False: there is no more. */
static bool next_pair(struct text_span *group, struct text_span *key, struct text_span *value)
{
	while (group->at < group->end) {
		const char *comma = find_outside(*group, ",");
		struct text_span pair = trimmed((struct text_span){group->at, comma});
		const char *sign = find(pair, " = ");

		group->at = comma + (comma < group->end);
		if (!sign)
			continue;
		*key = (struct text_span){pair.at, sign};
		*value = (struct text_span){sign + 3, pair.end};
		return true;
	}
	return false;
}

static bool is(struct text_span span, const char *text)
{
	return text_span_length(span) == strlen(text) && memcmp(span.at, text, strlen(text)) == 0;
}

/* The number in ( "TASK_RUNNING" : container = 0 ), by which babeltrace prints a number that has a name; other values as they are. */
static struct text_span of_container(struct text_span value)
{
	const char *mark = begins_with(value, "( ") ? find(value, "container = ") : NULL;

	return mark ? trimmed((struct text_span){mark + strlen("container = "), value.end - 1}) : value;
}

/* Reads a number: -1, 18, 0xB10. */
static bool read_value(struct text_span value, int64_t *number)
{
	char text[32], *end;

	value = of_container(value);
	if (value.at >= value.end || text_span_length(value) >= sizeof(text) || *value.at == ' ')
		return false;
	memcpy(text, value.at, text_span_length(value));
	text[text_span_length(value)] = '\0';
	*number = *text == '-' ? strtoll(text, &end, 10) : (int64_t)strtoull(text, &end, *text == '0' && text[1] == 'x' ? 16 : 10);
	return end > text && *end == '\0';
}

static struct text_span unquoted(struct text_span value)
{
	return text_span_length(value) >= 2 && *value.at == '"' && value.end[-1] == '"' ? (struct text_span){value.at + 1, value.end - 1} : value;
}

/* The value of a key in a group; empty: there is none. */
static struct text_span value_in(struct text_span group, const char *wanted)
{
	struct text_span key, value;

	while (next_pair(&group, &key, &value))
		if (is(key, wanted))
			return value;
	return (struct text_span){group.end, group.end};
}

static bool number_in(struct text_span group, const char *wanted, int64_t *number)
{
	return read_value(value_in(group, wanted), number);
}

static bool tid_in(struct text_span group, const char *wanted, int32_t *tid)
{
	int64_t number;

	if (!number_in(group, wanted, &number) || number < 0 || number > INT32_MAX)
		return false;
	*tid = (int32_t)number;
	return true;
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

/* Reads and removes "2016-03-04 " at the beginning. */
static void take_date(struct text_span *time, int64_t *days)
{
	enum { LENGTH = 11 };
	char text[LENGTH + 1] = ""; /* no NUL need follow the span */
	struct tm date = {0};
	int length = 0;

	if (text_span_length(*time) < LENGTH || time->at[4] != '-')
		return;
	memcpy(text, time->at, LENGTH);
	if (sscanf(text, "%4d-%2d-%2d %n", &date.tm_year, &date.tm_mon, &date.tm_mday, &length) < 3 || length != LENGTH)
		return;
	date.tm_year -= 1900;
	date.tm_mon--;
	*days = (int64_t)timegm(&date) / DAY;
	time->at += length;
}

/* Reads "1457113582.794565804", "17:46:22.794565804" or "2016-03-04 17:46:22.794565804". */
static bool read_time(struct text_span time, struct ctf_line *line)
{
	int64_t clock = 0, days = -1, ns, since;
	char text[32];

	take_date(&time, &days);
	for (int i = 0; i < 2 && text_span_length(time) > 3 && time.at[2] == ':' && is_digit(time.at[0]) && is_digit(time.at[1]); i++) {
		clock = clock * 60 + (time.at[0] - '0') * 10 + time.at[1] - '0';
		time.at += 3;
		line->of_day = days < 0;
	}
	if (text_span_length(time) >= sizeof(text) || text_span_length(time) == 0)
		return false;
	snprintf(text, sizeof(text), "%.*s:", (int)text_span_length(time), time.at);
	if (!text_time(text, text_span_length(time) + 1, ':', &ns) || ns > INT64_MAX / 2)
		return false;
	line->dated = days >= 0;
	return !__builtin_mul_overflow((days < 0 ? 0 : days * DAY) + clock * 60, NSEC_PER_SEC, &since) &&
	       !__builtin_add_overflow(ns, since, &line->ts);
}

/* Reads the groups of "{ ... }, { ... }" or "name = { ... }, ...". */
static void read_groups(struct text_span text, struct ctf_line *line)
{
	while (line->count < GROUPS_MAX && text.at < text.end) {
		const char *open = memchr(text.at, '{', text_span_length(text)), *close;

		if (!open)
			return;
		close = find_outside((struct text_span){open + 1, text.end}, "}");
		line->groups[line->count++] = trimmed((struct text_span){open + 1, close});
		text.at = close + (close < text.end);
	}
}

/* Reads "[TIME] (+DIFFERENCE) HOST NAME: { ...". */
static bool read_short(struct text_span text, struct ctf_line *line)
{
	const char *close = memchr(text.at, ']', text_span_length(text)), *mark;

	if (!close || !read_time((struct text_span){text.at + 1, close}, line))
		return false;
	text.at = close + 1;
	mark = find(text, ": {");
	if (!mark)
		return false;
	for (line->name = (struct text_span){mark, mark}; line->name.at > text.at && line->name.at[-1] != ' ';)
		line->name.at--;
	read_groups((struct text_span){mark, text.end}, line);
	return text_span_length(line->name) > 0;
}

/* Reads "timestamp = TIME, delta = DIFFERENCE, ... name = NAME, ...". */
static bool read_long(struct text_span text, struct ctf_line *line)
{
	struct text_span rest = text, key, value;
	bool timed = false;

	while (next_pair(&rest, &key, &value) && *value.at != '{') {
		if (is(key, "timestamp"))
			timed = read_time(value, line);
		if (is(key, "name"))
			line->name = value;
	}
	read_groups(text, line);
	return timed && line->name.at && text_span_length(line->name) > 0;
}

static bool read_line(const char *text, size_t length, struct ctf_line *line)
{
	struct text_span span = trimmed((struct text_span){text, text + length});

	*line = (struct ctf_line){0};
	if (begins_with(span, "timestamp = "))
		return read_long(span, line);
	return begins_with(span, "[") && read_short(span, line);
}

static bool is_line(const char *text, size_t length)
{
	struct ctf_line line;

	return read_line(text, length, &line);
}

static size_t is_ctf(const char *bytes, size_t length)
{
	return text_count_lines(bytes, length, is_line);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* How LTTng's names of events begin, the kernel's system of these events, and how the kernel's names begin instead. */
static const struct {
	const char *begin, *system, *instead;
} prefixes[] = {
	{"compat_syscall_entry_", "syscalls", "sys_enter_"},
	{"compat_syscall_exit_", "syscalls", "sys_exit_"},
	{"syscall_entry_", "syscalls", "sys_enter_"},
	{"syscall_exit_", "syscalls", "sys_exit_"},
	{"compat_sys_", "syscalls", "sys_enter_"},
	{"sys_", "syscalls", "sys_enter_"},
	{"irq_softirq_", "irq", "softirq_"},
	{"irq_tasklet_", "irq", "tasklet_"},
	{"timer_hrtimer_", "timer", "hrtimer_"},
	{"timer_itimer_", "timer", "itimer_"},
	{"power_", "power", ""},
	{"kmem_mm_", "kmem", "mm_"},
	{"kmem_kmalloc", "kmem", "kmalloc"},
	{"kmem_kfree", "kmem", "kfree"},
	{"x86_irq_vectors_", "irq_vectors", ""},
	{"x86_exceptions_", "exceptions", ""},
	{"lttng_", "lttng", ""},
};

static void take_name(struct text_span name, struct text_event *event)
{
	const char *colon = memchr(name.at, ':', text_span_length(name));

	if (colon) {
		snprintf(event->system, TEXT_NAME, "%.*s", (int)(colon - name.at), name.at);
		snprintf(event->name, TEXT_NAME, "%.*s", (int)(name.end - colon - 1), colon + 1);
		return;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!begins_with(name, prefixes[i].begin))
			continue;
		name.at += strlen(prefixes[i].begin);
		snprintf(event->system, TEXT_NAME, "%s", prefixes[i].system);
		snprintf(event->name, TEXT_NAME, "%s%.*s", prefixes[i].instead, (int)text_span_length(name), name.at);
		return;
	}
	snprintf(event->name, TEXT_NAME, "%.*s", (int)text_span_length(name), name.at);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

enum { FIELDS_MOST = FIELDS_MAX - 16 };

/* The kernel's priority where LTTng counts 0: LTTng counts from the lowest priority of real-time threads. */
enum { PRIORITY_ZERO = 100 };

/* Writes LTTng's bits of an operation as the kernel's letters. */
static void write_operation(struct line *own, const char *key, int64_t bits)
{
	static const struct {
		int bit;
		char letter;
	} letters[] = {{10, 'F'}, {0, 'W'}, {1, 'D'}, {2, 'R'}, {8, 'F'}, {9, 'F'}, {3, 'A'}, {4, 'B'}, {5, 'S'}, {6, 'M'}, {7, 'E'}};
	char text[sizeof(letters) / sizeof(*letters) + 1];
	size_t length = 0;

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (bits & 1 << letters[i].bit)
			text[length++] = letters[i].letter;
	if (length == 0)
		text[length++] = 'N';
	line_bytes(own, key, text, length);
}

static void write_device(struct line *own, const char *key, int64_t dev)
{
	char text[64];

	line_bytes(own, key, text, device_spell(text, (uint64_t)dev));
}

static void write_text(struct line *own, const char *key, struct text_span value)
{
	char text[1024];
	size_t length = 0;

	value = unquoted(value);
	for (const char *at = value.at; at < value.end && length < sizeof(text); at++) {
		at += *at == '\\' && at + 1 < value.end;
		text[length++] = *at;
	}
	line_bytes(own, key, text, length);
}

/* Writes a number that the kernel spells differently from LTTng. False: both spell it alike, and nothing was written. */
static bool write_otherwise(struct line *own, const char *system, const char *key, int64_t number)
{
	const char *last = strrchr(key, '_');

	if (strcmp(system, "block") == 0 && strcmp(key, "rwbs") == 0)
		write_operation(own, key, number);
	else if (strcmp(system, "block") == 0 && strcmp(last ? last + 1 : key, "dev") == 0)
		write_device(own, key, number);
	else if (strcmp(system, "sched") == 0 && strcmp(last ? last + 1 : key, "prio") == 0)
		line_integer(own, key, (int64_t)((uint64_t)number + PRIORITY_ZERO));
	else
		return false;
	return true;
}

/* A record can have only keys of letters, digits and '_'. */
static bool is_key(struct text_span key)
{
	const char *at = key.at;

	while (at < key.end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at > key.at && at == key.end;
}

/*
 * Gives the kernel's name of a field. LTTng calls the kernel's pid tid (tid, prev_tid, child_tid), and the thread group pid.
 * Empty: the kernel's event lacks the field.
 */
static void name_field(char field[TEXT_NAME], struct text_span key, const char *system)
{
	bool lttngs = strcmp(system, "sched") == 0 || strcmp(system, "signal") == 0;
	size_t length = text_span_length(key);

	snprintf(field, TEXT_NAME, "%.*s", (int)length, key.at);
	if (!is_key(key) || *key.at == '_' || begins_with(key, "perf_") || begins_with(key, "common_"))
		*field = '\0';
	if (!lttngs || length < 3 || length >= TEXT_NAME)
		return;
	if (strcmp(field + length - 3, "pid") == 0)
		*field = '\0';
	else if (strcmp(field + length - 3, "tid") == 0)
		field[length - 3] = 'p';
}

static void write_fields(struct line *own, struct text_span group, const char *system, bool lttngs)
{
	struct text_span key, value;
	char field[TEXT_NAME];
	int64_t number;

	line_begin(own, "");
	for (int i = 0; i < FIELDS_MOST && next_pair(&group, &key, &value); i++) {
		name_field(field, key, lttngs ? system : "");
		if (!*field)
			continue;
		value = of_container(value);
		if (!read_value(value, &number))
			write_text(own, field, value);
		else if (!lttngs || !write_otherwise(own, system, field, number))
			print_layout_number(own, field, value.at, text_span_length(value), false);
	}
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static struct cpu *cpu_of(struct reading *reading, uint32_t cpu)
{
	while (reading->cpus.count <= cpu)
		*ARRAY_ADD(&reading->cpus) = (struct cpu){.running = TID_UNKNOWN, .first = TID_UNKNOWN};
	return &reading->cpus.items[cpu];
}

/* Takes the CPU and thread of an event from its contexts; if they lack the thread, it is the one that the CPU last switched to. */
static void take_contexts(struct reading *reading, const struct ctf_line *line, struct text_event *event)
{
	static const char *const tids[] = {"tid", "perf_tid", "vtid"}, *const tgids[] = {"pid", "perf_pid", "vpid"};
	int32_t tid = TID_UNKNOWN;
	int64_t number;

	event->cpu_unknown = true;
	for (int i = 0; i < line->count; i++) {
		struct text_span group = line->groups[i], name = value_in(group, "procname");
		bool context = i + 1 < line->count;

		if (event->cpu_unknown && (number_in(group, "cpu_id", &number) || number_in(group, "perf_cpu", &number)) && number >= 0 &&
		    number < CPUS_MAX) { /* the event may have a field of this name */
			event->cpu = (uint32_t)number;
			event->cpu_unknown = false;
		}
		for (size_t k = 0; k < sizeof(tids) / sizeof(*tids) && tid == TID_UNKNOWN; k++)
			if ((context || k == 1) && tid_in(group, tids[k], &tid))
				tid_in(group, tgids[k], &event->tgid);
		if (context && text_span_length(name)) {
			event->comm = unquoted(name).at;
			event->comm_length = text_span_length(unquoted(name));
		}
		if (number_in(group, "common_flags", &number))
			event->flags = (int)(number & 0xff);
	}
	if (!event->cpu_unknown && tid == TID_UNKNOWN)
		tid = cpu_of(reading, event->cpu)->running;
	event->tid = tid;
}

/* From here on the CPU runs the thread that it switches to. */
static void follow_switch(struct reading *reading, const struct ctf_line *line, struct text_event *event)
{
	struct text_span fields = line->groups[line->count - 1];
	int32_t next = TID_UNKNOWN;

	if (!tid_in(fields, "prev_tid", &event->tid))
		tid_in(fields, "prev_pid", &event->tid);
	if (!tid_in(fields, "next_tid", &next))
		tid_in(fields, "next_pid", &next);
	if (!event->cpu_unknown)
		*cpu_of(reading, event->cpu) = (struct cpu){.running = next, .first = TID_UNKNOWN};
}

/* Old traces say "sys_read" for an entry, and "exit_syscall" for the return of any call: names it by the thread's last entry. */
static void follow_call(struct reading *reading, const struct ctf_line *line, struct text_event *event)
{
	bool enters = begins_with(line->name, "sys_") || begins_with(line->name, "compat_sys_"), returns = is(line->name, "exit_syscall");
	struct ctf_call *call;

	if ((!enters && !returns) || event->tid < 0)
		return;
	HASH_FIND_INT(reading->calls, &event->tid, call);
	if (returns) {
		snprintf(event->system, TEXT_NAME, "syscalls");
		snprintf(event->name, TEXT_NAME, "sys_exit_%.100s", call ? call->name : "unknown");
		return;
	}
	if (!call) {
		call = NEW(struct ctf_call);
		call->tid = event->tid;
		HASH_ADD_INT(reading->calls, tid, call);
	}
	snprintf(call->name, TEXT_NAME, "%s", event->name + strlen("sys_enter_"));
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static int write_task(struct reading *reading, struct text *text, int64_t ts, struct text_span fields, const char *tid_key, const char *tgid_key,
		      const char *name_key)
{
	struct text_span name = unquoted(value_in(fields, name_key));
	int32_t tid, tgid;
	int64_t type;

	if (!tid_in(fields, tid_key, &tid) || !tid_in(fields, tgid_key, &tgid) || tid == 0)
		return 0;
	line_begin(&reading->record, "task");
	line_time(&reading->record, "ts", ts);
	line_integer(&reading->record, "tid", tid);
	line_bytes(&reading->record, "comm", name.at, text_span_length(name));
	line_integer(&reading->record, "tgid", tgid);
	if (number_in(fields, "type", &type) && type == 1)
		line_text(&reading->record, "kernel", "yes");
	return text_record(text, &reading->record);
}

static int write_disk(struct reading *reading, struct text *text, struct text_span fields)
{
	struct text_span name = unquoted(value_in(fields, "diskname"));
	int64_t dev;

	if (!number_in(fields, "dev", &dev) || !text_span_length(name))
		return 0;
	line_begin(&reading->record, "device");
	write_device(&reading->record, "dev", dev);
	line_bytes(&reading->record, "name", name.at, text_span_length(name));
	return text_record(text, &reading->record);
}

/* Writes a record of the thread or disk that LTTng's event describes, if it does. -1 after fail(). */
static int tell_things(struct reading *reading, struct text *text, int64_t ts, const struct ctf_line *line)
{
	struct text_span fields = line->groups[line->count - 1];

	if (is(line->name, "lttng_statedump_process_state"))
		return write_task(reading, text, ts, fields, "tid", "pid", "name");
	if (is(line->name, "sched_process_fork"))
		return write_task(reading, text, ts, fields, "child_tid", "child_pid", "child_comm");
	return is(line->name, "lttng_statedump_block_device") ? write_disk(reading, text, fields) : 0;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Times of day start again at midnight: a step back of more than half a day means a new day. */
static int64_t time_of(struct reading *reading, const struct ctf_line *line)
{
	int64_t ts = line->ts;

	if (!line->of_day)
		return ts;
	if (ts + (reading->days - reading->last / NSEC_PER_SEC + DAY / 2) * NSEC_PER_SEC < 0)
		reading->days += DAY;
	reading->last = ts + reading->days * NSEC_PER_SEC;
	return reading->last;
}

/* Reads babeltrace's "[warning] Tracer discarded 12 events between ..." or "WARNING: Tracer discarded 1,234 events ... `channel0_1`" (on stderr). */
static bool read_loss(struct text_span line, struct text_event *loss, uint64_t *count)
{
	static const char mark[] = "Tracer discarded ";
	const char *at = find(line, mark), *under;
	uint64_t cpu = 0;

	if (!at)
		return false;
	*count = 0;
	for (at += sizeof(mark) - 1; at < line.end && (is_digit(*at) || *at == ','); at++)
		if (*at != ',' && *count < UINT32_MAX)
			*count = *count * 10 + (uint64_t)(*at - '0');
	under = memrchr(at, '_', (size_t)(line.end - at));
	for (at = under ? under + 1 : line.end; at < line.end && is_digit(*at) && cpu < CPUS_MAX; at++)
		cpu = cpu * 10 + (uint64_t)(*at - '0');
	*loss = (struct text_event){.cpu = (uint32_t)(cpu < CPUS_MAX ? cpu : 0)};
	return true;
}

static int take_event(struct reading *reading, struct text *text, const struct ctf_line *line, uint64_t number)
{
	struct text_event event = {.flags = TEXT_FLAGS_UNKNOWN, .ts = time_of(reading, line)};
	bool lttngs = !memchr(line->name.at, ':', text_span_length(line->name));

	take_name(line->name, &event);
	take_contexts(reading, line, &event);
	if (strcmp(event.name, "sched_switch") == 0)
		follow_switch(reading, line, &event);
	follow_call(reading, line, &event);
	if (event.tid < 0 || (!event.cpu_unknown && cpu_of(reading, event.cpu)->idle))
		text_trouble(text, "the thread of these events is not told, because their CPU did not switch threads; 0 is taken for it", false, number,
			     1);
	event.tid = event.tid < 0 ? 0 : event.tid;
	if (!*event.system)
		snprintf(event.system, TEXT_NAME, "%s", text_system(text, event.name));
	write_fields(&reading->own, line->count > 1 || !number_in(line->groups[0], "cpu_id", &(int64_t){0})
		? line->groups[line->count - 1] : (struct text_span){line->name.end, line->name.end}, event.system, lttngs);
	event.own = &reading->own;
	if (lttngs && tell_things(reading, text, event.ts, line) < 0)
		return -1;
	return text_event(text, &event, number);
}

/* --- lines that are held back ------------------------------------------------------------------------------------- */

/* Notes whether a line waits for its CPU's first switch, and which thread that switch is from. True: some CPU's first switch is awaited. */
static bool awaits(struct reading *reading, const struct ctf_line *line)
{
	struct text_event event = {.flags = TEXT_FLAGS_UNKNOWN};
	struct cpu *cpu;

	take_contexts(reading, line, &event);
	if (event.cpu_unknown)
		return reading->awaited;
	cpu = cpu_of(reading, event.cpu);
	take_name(line->name, &event);
	if (strcmp(event.name, "sched_switch") == 0) {
		struct text_span fields = line->groups[line->count - 1];

		if (cpu->awaited && !tid_in(fields, "prev_tid", &cpu->first))
			tid_in(fields, "prev_pid", &cpu->first);
		reading->awaited -= cpu->awaited;
		cpu->awaited = false;
	} else if (event.tid == TID_UNKNOWN && cpu->first == TID_UNKNOWN && !cpu->awaited) {
		cpu->awaited = true;
		reading->awaited++;
	}
	return reading->awaited;
}

static void hold(struct reading *reading, const char *bytes, size_t length, uint64_t number)
{
	*ARRAY_ADD(&reading->held) = (struct held_line){reading->held_text.length, length, number};
	line_append(&reading->held_text, bytes, length);
}

/* From the first held line on, each CPU runs the thread that its first switch is from; a CPU without a switch is idle. */
static void settle(struct reading *reading)
{
	for (size_t i = 0; i < reading->cpus.count; i++) {
		struct cpu *cpu = &reading->cpus.items[i];

		if (cpu->running == TID_UNKNOWN && (cpu->awaited || cpu->first != TID_UNKNOWN))
			*cpu = (struct cpu){.running = cpu->awaited ? 0 : cpu->first, .first = TID_UNKNOWN, .idle = cpu->awaited};
	}
	reading->awaited = 0;
}

static int take_known(struct reading *reading, struct text *text, const char *bytes, size_t length, uint64_t number)
{
	struct text_event loss;
	struct ctf_line line;
	uint64_t count;

	if (read_line(bytes, length, &line) && line.count > 0)
		return take_event(reading, text, &line, number);
	if (read_loss((struct text_span){bytes, bytes + length}, &loss, &count)) {
		text_lost(text, &loss, count ? count : 1);
		*cpu_of(reading, loss.cpu) = (struct cpu){.running = TID_UNKNOWN, .first = TID_UNKNOWN};
	} else if (length) {
		text_trouble(text, "this is no event", true, number, 1);
	}
	return 0;
}

static int release(struct reading *reading, struct text *text)
{
	int status = 0;

	settle(reading);
	for (size_t i = 0; i < reading->held.count && status == 0; i++) {
		const struct held_line *held = &reading->held.items[i];

		status = take_known(reading, text, reading->held_text.text + held->at, held->length, held->number);
	}
	reading->held.count = 0;
	reading->held_text.length = 0;
	return status;
}

static int take_line(struct text *text, void *context, const char *bytes, size_t length, uint64_t number)
{
	struct reading *reading = context;
	struct ctf_line line;
	bool wait = reading->held.count > 0;

	if (read_line(bytes, length, &line) && line.count > 0)
		wait = awaits(reading, &line);
	if (wait || reading->held.count > 0)
		hold(reading, bytes, length, number);
	if (reading->held.count == 0)
		return take_known(reading, text, bytes, length, number);
	return wait && reading->held_text.length + reading->held.count * sizeof(*reading->held.items) < HELD_MOST ? 0 : release(reading, text);
}

static int end_lines(struct text *text, void *context)
{
	return release(context, text);
}

static bool is_since_1970(const char *text, size_t length)
{
	struct ctf_line line;

	return read_line(text, length, &line) && !line.of_day && !line.dated && line.ts >= EPOCH_LEAST;
}

static int read_ctf(struct import *import, struct import_input *input)
{
	struct reading reading = {0};
	const char *bytes;
	size_t length;
	int status = lines_peek(&input->lines, &bytes, &length);

	if (status == 0) {
		input->since_1970 = text_count_lines(bytes, length, is_since_1970) > 0;
		status = text_read(import, input, take_line, end_lines, &reading);
	}
	HASH_FREE(reading.calls);
	free(reading.cpus.items);
	free(reading.held.items);
	line_free(&reading.held_text);
	line_free(&reading.own);
	line_free(&reading.record);
	return status;
}

/* Recognizes a line whose time babeltrace printed as cycles. */
static bool is_cycles(const char *text, size_t length)
{
	struct text_span span = {text, text + length};

	return (begins_with(span, "[") || begins_with(span, "timestamp = ")) && find(span, "{ cpu_id = ") && !is_line(text, length);
}

static const char *hint_ctf(const char *bytes, size_t length)
{
	return text_count_lines(bytes, length, is_cycles) ? "it has events without times; print them with babeltrace2 --clock-seconds" : NULL;
}

const struct import_format import_ctf = {.name = "ctf", .words = "what babeltrace prints", .is = is_ctf, .read = read_ctf, .hint = hint_ctf};
