/* The text of the kernel's `trace` file, in a form that Trace Compass, Perfetto and trace-import read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/clean.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/event.h"
#include "event/format.h"
#include "export/format.h"
#include "stream/fields.h"
#include "stream/line.h"

/* --- a raw payload, by its print format ----------------------------------------------------------------------------------- */

typedef void printer_clean(const char *field, char *text, size_t length);

/* Zeros behind a copied payload: a dynamic field's offset and length have 16 bits each, so the library reads at most this far. */
enum { BEHIND = 2 << 16 };

struct printer {
	struct trace_seq seq;
	char *copy;        /* the payload, with zeros behind it */
	size_t room, used; /* size of the copy; bytes of it that an earlier payload left non-zero */
};

static struct printer *printer_new(void)
{
	struct printer *printer = NEW(struct printer);

	trace_seq_init(&printer->seq);
	return printer;
}

static void printer_free(struct printer *printer)
{
	trace_seq_destroy(&printer->seq);
	free(printer->copy);
	free(printer);
}

/* Copies the payload with zeros behind it: the library trusts lengths in the payload, and reads strings up to a NUL, wherever it is. */
static void copy_payload(struct printer *printer, const struct event *event)
{
	size_t wanted = event->size + BEHIND;

	if (wanted > printer->room) {
		free(printer->copy);
		printer->copy = memory_new(wanted, 1);
		printer->room = wanted;
	} else if (printer->used > event->size) {
		memset(printer->copy + event->size, 0, printer->used - event->size);
	}
	memcpy(printer->copy, event->payload, event->size);
	printer->used = event->size;
}

static bool prepare(struct printer *printer, const struct event *event, const struct tep_event *format,
		    printer_clean *clean)
{
	uint32_t offset, length;

	copy_payload(printer, event);
	for (const struct tep_format_field *field = format->format.fields; field; field = field->next) {
		if (!format_locate(field, event, &offset, &length))
			return false;
		if (clean && field->flags & TEP_FIELD_IS_STRING && field->size > 0) /* one without a length holds the line's end, too */
			clean(field->name, printer->copy + offset, strnlen(printer->copy + offset, length));
	}
	return true;
}

/*
 * The text behind "name: " in the trace file, by the print format in the stream; valid until the next call. NULL: only the kernel can
 * print this format, or the payload is cut. Calls `clean` for each text field, on a copy, before it prints.
 */
static const char *printer_print(struct printer *printer, const struct event *event, printer_clean *clean)
{
	struct tep_event *format = event->type->format;
	struct tep_record record = {.ts = (unsigned long long)event->ts, .cpu = (int)event->cpu};

	if (!event->payload || !format || format->flags & TEP_EVENT_FL_FAILED ||
	    !prepare(printer, event, format, clean) || !format_prints(event))
		return NULL;
	record.data = printer->copy;
	record.size = (int)event->size;
	trace_seq_reset(&printer->seq);
	tep_print_event(format->tep, &printer->seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&printer->seq);
	if (printer->seq.state != TRACE_SEQ__GOOD || format->flags & TEP_EVENT_FL_FAILED)
		return NULL;
	return printer->seq.buffer;
}

/* --- a payload as text ------------------------------------------------------------------------------------------------------ */

/*
 * ftrace_text: spells a payload as the kernel does if the stream has the event as text, without its print format.
 */

#define FTRACE_FLAGS "common_flags"

/*
 * From the print formats in the kernel's include/trace/events/. {field} is a field as it stands in the stream;
 * {field:X} is spelled by append_as().
 */
static const struct {
	const char *event, *template;
} templates[] = {
	{"sched_switch", "prev_comm={prev_comm} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state:s} ==> "
		     "next_comm={next_comm} next_pid={next_pid} next_prio={next_prio}"},
	{"sched_wakeup", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"sched_wakeup_new", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"sched_waking", "comm={comm} pid={pid} prio={prio} target_cpu={target_cpu:3}"},
	{"irq_handler_entry", "irq={irq} name={name}"},
	{"irq_handler_exit", "irq={irq} ret={ret:h}"},
	{"softirq_entry", "vec={vec} [action={vec:v}]"},
	{"softirq_exit", "vec={vec} [action={vec:v}]"},
	{"softirq_raise", "vec={vec} [action={vec:v}]"},
};

static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
				       "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

/*
 * Replaces, in place, the characters of a text that viewers trip over: control characters; brackets, which enclose the CPU in a line
 * of ftrace; parentheses, which enclose a call's arguments; and '=' in a thread's name, because it would begin a field.
 */
static void ftrace_clean(const char *field, char *text, size_t length)
{
	const char *tail = strlen(field) >= 4 ? field + strlen(field) - 4 : "";
	bool comm = !strcmp(tail, "comm");

	for (char *c = text; c < text + length; c++)
		if (*c == '[' || *c == '(')
			*c = '{';
		else if (*c == ']' || *c == ')')
			*c = '}';
		else if ((unsigned char)*c < ' ' || *c == 0x7f || (comm && *c == '='))
			*c = '_';
}

/* Recognizes common_flags, which have a column of their own and are not part of the payload. */
static bool ftrace_is_flags(const struct field *field)
{
	return field->key_length == strlen(FTRACE_FLAGS) && !memcmp(field->key, FTRACE_FLAGS, field->key_length);
}

static void append(struct line *line, const char *text)
{
	line_append(line, text, strlen(text));
}

/* Appends a prev_state: letters for the bits below TASK_REPORT_MAX; that bit itself marks a preempted thread. */
static void append_state(struct line *line, int64_t state)
{
	static const char letters[] = "SDTtXZPI";
	enum { PREEMPTED = 1 << 8 };
	bool first = true;

	for (int bit = 0; letters[bit]; bit++)
		if (state & 1 << bit) {
			line_append(line, first ? letters + bit : (char[]){'|', letters[bit]}, first ? 1 : 2);
			first = false;
		}
	append(line, first ? "R" : "");
	append(line, state & PREEMPTED ? "+" : "");
}

static void append_as(struct line *line, char how, const char *text, int64_t number)
{
	char digits[NUMBER_ROOM];
	size_t length;

	switch (how) {
	case 's':
		append_state(line, number);
		break;
	case '3':
		length = number_spell_integer(digits, number);
		if (length < 3)
			line_append(line, "00", 3 - length);
		line_append(line, digits, length);
		break;
	case 'h':
		append(line, number ? "handled" : "unhandled");
		break;
	case 'v':
		append(line, number >= 0 && number < (int64_t)(sizeof(softirqs) / sizeof(*softirqs)) ? softirqs[number]
												     : text);
		break;
	default:
		append(line, text);
	}
}

static void append_field(struct line *line, const struct fields *fields, const char *key, size_t length, char how,
			 bool exact)
{
	char text[256] = "";
	int64_t number = 0;

	for (const struct field *field = export_own_fields(fields); field < fields->item + fields->count; field++) {
		if (field->key_length != length || memcmp(field->key, key, length) != 0)
			continue;
		field_text(field, text, sizeof(text));
		if (how && number_integer(text, strlen(text), &number) < 0)
			how = 0; /* already a letter, or no number: appended as it is */
		break;
	}
	if (!exact)
		ftrace_clean(length > 3 && !memcmp(key + length - 4, "comm", 4) ? "comm" : "", text, strlen(text));
	append_as(line, how, text, number);
}

static void fill(struct line *line, const struct fields *fields, const char *template, bool exact)
{
	while (*template) {
		size_t plain = strcspn(template, "{"), name;

		for (size_t i = 0; i < plain; i++)
			if (exact || !strchr("[]", template[i]))
				line_append(line, template + i, 1);
		template += plain;
		if (!*template)
			return;
		name = strcspn(++template, ":}");
		append_field(line, fields, template, name, template[name] == ':' ? template[name + 1] : 0, exact);
		template += name + strcspn(template + name, "}") + 1;
	}
}

/*
 * Appends the payload of an event: as the kernel prints it if a template is known, else key=value. `fields` are those of the
 * whole event line; the event's own stand behind name=. Unless `exact`, leaves out brackets and cleans the texts.
 */
static void ftrace_spell(const struct fields *fields, const char *name, bool exact, struct line *line)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(templates) / sizeof(*templates); i++)
		if (!strcmp(templates[i].event, name)) {
			fill(line, fields, templates[i].template, exact);
			return;
		}
	for (const struct field *field = export_own_fields(fields); field < fields->item + fields->count; field++) {
		if (ftrace_is_flags(field))
			continue;
		line_append(line, " ", first ? 0 : 1);
		line_append(line, field->key, field->key_length);
		line_append(line, "=", 1);
		append_field(line, fields, field->key, field->key_length, 0, exact);
		first = false;
	}
}

struct ftrace {
	struct events *events;
	struct printer *printer;
	struct line line;
	struct export_event event;
};

/* Four flags, as kernels before 5.17 printed them: viewers expect that. */
static const char viewers_header[] =
	"# tracer: nop\n"
	"#\n"
	"#                                _-----=> irqs-off\n"
	"#                               / _----=> need-resched\n"
	"#                              | / _---=> hardirq/softirq\n"
	"#                              || / _--=> preempt-depth\n"
	"#                              ||| /     delay\n"
	"#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
	"#              | |         |   ||||      |         |\n";

static const char kernels_header[] =
	"# tracer: nop\n"
	"#\n"
	"#                                _-----=> irqs-off/BH-disabled\n"
	"#                               / _----=> need-resched\n"
	"#                              | / _---=> hardirq/softirq\n"
	"#                              || / _--=> preempt-depth\n"
	"#                              ||| / _-=> migrate-disable\n"
	"#                              |||| /     delay\n"
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	"#              | |         |   |||||     |         |\n";

/* Bits of common_flags, from the kernel's include/linux/trace_events.h. */
enum {
	IRQS_OFF = 0x01,
	NEED_RESCHED_LAZY = 0x02,
	NEED_RESCHED = 0x04,
	HARDIRQ = 0x08,
	SOFTIRQ = 0x10,
	PREEMPT_RESCHED = 0x20,
	NMI = 0x40,
	BH_OFF = 0x80,
};

/* As trace_print_lat_fmt() in the kernel's kernel/trace/trace_output.c; the fifth letter is the depth of migrate_disable().
 */
static void spell_flags(char text[6], unsigned flags, unsigned preempt_count)
{
	static const char depths[] = ".123456789abcdef";
	static const char resched[8] = {'.', 'l', 'n', 'b', 'p', 'L', 'N', 'B'};
	static const char context[8] = {'.', 'h', 's', 'H', 'z', 'Z', 'z', 'Z'};

	text[0] = (flags & (IRQS_OFF | BH_OFF)) == (IRQS_OFF | BH_OFF) ? 'D'
		  : flags & IRQS_OFF                                   ? 'd'
		  : flags & BH_OFF                                     ? 'b'
								       : '.';
	text[1] =
	    resched[(flags & NEED_RESCHED_LAZY) / NEED_RESCHED_LAZY + 2 * ((flags & NEED_RESCHED) / NEED_RESCHED) +
		    4 * ((flags & PREEMPT_RESCHED) / PREEMPT_RESCHED)];
	text[2] = context[(flags & HARDIRQ) / HARDIRQ + 2 * ((flags & SOFTIRQ) / SOFTIRQ) + 4 * ((flags & NMI) / NMI)];
	text[3] = depths[preempt_count & 0xf];
	text[4] = depths[preempt_count >> 4 & 0xf];
	text[5] = '\0';
}

/* Begins a line: "          reader-3312    [001] d.h. 11625.484091: ". */
static void begin_line(struct export *export, const struct event *event)
{
	struct ftrace *ftrace = export->state;
	const char *known = events_comm(ftrace->events, event->tid);
	char comm[32], flags[6] = ".....", text[160];
	uint64_t unit = export->options.nanoseconds ? 1 : 1000;
	uint64_t ts = ((uint64_t)event->ts + unit / 2) / unit,
		 second = 1000000000 / unit; /* rounded, as the kernel does */
	int64_t told = 0;
	int length;

	snprintf(comm, sizeof(comm), "%s", event->tid == 0 ? "<idle>" : strcmp(known, "?") ? known : "<...>");
	if (event->payload)
		spell_flags(flags, (uint8_t)event->payload[2], (uint8_t)event->payload[3]);
	else if (event->fields && fields_integer(event->fields, FTRACE_FLAGS, &told) > 0)
		spell_flags(flags, (unsigned)told, 0);
	if (!export->options.exact) {
		ftrace_clean("comm", comm, strlen(comm));
		flags[4] = '\0';
	}
	length = snprintf(text, sizeof(text), "%16s-%-7d [%03u] %s %5" PRIu64 ".%0*" PRIu64 ": ", comm, event->tid,
			  event->cpu, flags, ts / second, export->options.nanoseconds ? 9 : 6, ts % second);
	line_begin(&ftrace->line, "");
	line_append(&ftrace->line, text, (size_t)length);
}

/*
 * Appends a printed payload. Unless `exact`, leaves out the kernel's brackets, as in "vec=1 [action=TIMER]", and its parentheses if
 * text follows them, as in "4096 () 128 + 8": Trace Compass takes no line that goes on behind parentheses.
 */
static void append_printed(struct ftrace *ftrace, const char *text, bool exact)
{
	size_t length = strlen(text);
	const char *close, *unwanted;

	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	close = memchr(text, ')', length);
	unwanted = exact ? "" : close && close + 1 < text + length ? "[]()" : "[]";
	for (size_t i = 0; i < length; i++)
		if (!strchr(unwanted, text[i]))
			line_append(&ftrace->line, text + i, 1);
}

/* Appends a system call, which the kernel spells "sys_read(fd: 3, buf: 0x7ffc, count: 0x1000)" and "sys_read -> 0x10". */
static int append_call(struct ftrace *ftrace, const struct event *event, const char *call, bool enter)
{
	const struct fields *fields = export_event_fields(&ftrace->event, event, "");
	const char *separator = "";
	char text[96];

	if (!fields)
		return -1;
	append(&ftrace->line, "sys_");
	append(&ftrace->line, call);
	append(&ftrace->line, enter ? "(" : " -> ");
	for (const struct field *field = export_own_fields(fields); field < fields->item + fields->count; field++) {
		int64_t value = 0;

		if (!strncmp(field->key, "__syscall_nr", field->key_length) || ftrace_is_flags(field) ||
		    number_integer(field->value, field->value_length, &value) < 0)
			continue;
		if (enter)
			snprintf(text, sizeof(text), "%s%.*s: %s%" PRIx64, separator, (int)field->key_length,
				 field->key, (uint64_t)value < 10 ? "" : "0x", (uint64_t)value);
		else
			snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)value);
		append(&ftrace->line, text);
		separator = ", ";
	}
	append(&ftrace->line, enter ? ")" : "");
	return 0;
}

static int append_plain(struct export *export, const struct event *event, const char *name)
{
	struct ftrace *ftrace = export->state;
	bool exact = export->options.exact;
	const char *printed = printer_print(ftrace->printer, event, exact ? NULL : ftrace_clean);
	const struct fields *fields;

	append(&ftrace->line, name);
	append(&ftrace->line, ": ");
	if (printed) {
		append_printed(ftrace, printed, exact);
		return 0;
	}
	fields = export_event_fields(&ftrace->event, event, "");
	if (!fields)
		return -1;
	ftrace_spell(fields, name, exact, &ftrace->line);
	return 0;
}

/* Writes the line; control characters in the texts of the event become blanks, so that it stays one line. A terminal gets the others cleaned. */
static int write_line(struct export *export)
{
	struct line *line = &((struct ftrace *)export->state)->line;
	char *clean;

	for (size_t i = 0; i < line->length; i++)
		if ((unsigned char)line->text[i] < ' ')
			line->text[i] = ' ';
	clean = export->terminal ? clean_text(line->text, line->length) : NULL;
	fwrite(clean ? clean : line->text, 1, clean ? strlen(clean) : line->length, export->out);
	fputc('\n', export->out);
	free(clean);
	return export_written(export);
}

static int event_seen(void *context, const struct record *record)
{
	static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";
	struct export *export = context;
	struct ftrace *ftrace = export->state;
	struct event event;
	const char *name;
	int status;

	if (events_read(ftrace->events, record, &event) < 0)
		return -1;
	events_learn_names(ftrace->events, &event);
	if (event.ts < 0) {
		export_leave_out(export, "a time before zero");
		return STREAM_DROP;
	}
	begin_line(export, &event);
	name = event.type->name;
	if (!strncmp(name, enter, sizeof(enter) - 1))
		status = append_call(ftrace, &event, name + sizeof(enter) - 1, true);
	else if (!strncmp(name, leave, sizeof(leave) - 1))
		status = append_call(ftrace, &event, name + sizeof(leave) - 1, false);
	else
		status = append_plain(export, &event, strchr(name, ':') ? strchr(name, ':') + 1 : name);
	if (status < 0)
		return stream_fail(export->stream, "%s", fail_text());
	return write_line(export) < 0 ? -1 : STREAM_DROP;
}

/* Writes a loss as the kernel does. */
static int lost_seen(void *context, const struct record *record)
{
	struct export *export = context;
	uint64_t cpu, count;

	if (export_read_lost(export, record, &cpu, &count) < 0)
		return -1;
	if (record_tells_damage(record))
		fprintf(export->out, "# [LOST EVENTS: the stream is damaged here]\n");
	else
		fprintf(export->out, "CPU:%" PRIu64 " [LOST %" PRIu64 " EVENTS]\n", cpu, count);
	return export_written(export) < 0 ? -1 : STREAM_DROP;
}

static int begin(struct export *export, struct handlers *handlers)
{
	struct ftrace *ftrace = NEW(struct ftrace);

	ftrace->events = events_new(export->stream);
	events_printable(ftrace->events);
	ftrace->printer = printer_new();
	export->state = ftrace;
	handlers->on[KIND_EVENT] = event_seen;
	handlers->on[KIND_LOST] = lost_seen;
	fputs(export->options.exact ? kernels_header : viewers_header, export->out);
	return 0;
}

static void free_state(struct export *export)
{
	struct ftrace *ftrace = export->state;

	events_free(ftrace->events);
	printer_free(ftrace->printer);
	line_free(&ftrace->line);
	line_free(&ftrace->event.spelled);
	free(ftrace);
}

const struct export_format export_ftrace = {.name = "ftrace", .begin = begin, .end = NULL, .free = free_state};
