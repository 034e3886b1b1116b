/* ftrace text, plain or within an HTML page. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/ftrace_line.h"
#include "import/text_span.h"

/* The number of overwritten events: "# entries-in-buffer/entries-written: 200/260   #P:2" means that the oldest 60 were. */
static uint64_t overwritten(const char *line, size_t length)
{
	static const char mark[] = "entries-in-buffer/entries-written:";
	const char *at = memmem(line, length, mark, sizeof(mark) - 1);
	uint64_t there = 0, written = 0;
	size_t digits;

	if (!at)
		return 0;
	at += sizeof(mark) - 1;
	at += strspn(at, " ");
	digits = strspn(at, "0123456789");
	if (number_count(at, digits, &there) < 0 || at[digits] != '/')
		return 0;
	at += digits + 1;
	return number_count(at, strspn(at, "0123456789"), &written) == 0 && written > there ? written - there : 0;
}

/* Messages about lines that are no events; `missing`: events are missing because of such a line. */
static const struct {
	const char *kind;
	bool missing;
} troubles[] = {
	[FTRACE_STACK] = {"call stacks are left out", false},
	[FTRACE_GRAPH] = {"functions are left out", false},
	[FTRACE_BARE] = {"events of function_graph without time or thread are left out; record with funcgraph-abstime and funcgraph-proc", true},
	[FTRACE_TICKS] = {"the clock of these events does not tell the time; record with another one, such as mono", true},
	[FTRACE_OTHER] = {"this is no event", true},
};

/* In older systrace pages, and files made from them, the lines are those of a string in a script: cuts off how such a line ends. */
static size_t without_escape(const char *line, size_t length)
{
	static const char *const ends[] = {"\\n\\", "\\n\";"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (length >= strlen(ends[i]) && memcmp(line + length - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
			return length - strlen(ends[i]);
	return length;
}

struct reading {
	uint64_t overrun; /* events lost before the first one, whose CPU is not known until it comes */
	char main[TEXT_NAME]; /* the name in the first heading, if trace-cmd report names files: only this file's events are wanted */
	bool is_named;
	bool instances; /* events of all buffers are wanted */
	bool flagged; /* some event has a flag: a kernel wrote the flags, so "...." means that none is set */
};

/* Takes the name in a heading by trace-cmd report of several files: "host.dat: cpus=4". */
static void take_heading(struct reading *reading, const char *line, size_t length)
{
	struct text_span rest = {line, line + length}, name = prefix_word(&rest);

	if (!reading->is_named && begins_with(rest, "cpus=") && text_span_length(name) < TEXT_NAME) {
		memcpy(reading->main, name.at, text_span_length(name));
		reading->is_named = true;
	}
}

/* As with a trace.dat, only events of the main buffer or the first file are wanted; counts the others. */
static bool is_wanted(struct text *text, const struct reading *reading, const struct text_event *event, uint64_t number)
{
	size_t length = event->buffer_length;
	char kind[TEXT_NAME];

	if (reading->instances || length == 0 || (length == strlen(reading->main) && memcmp(event->buffer, reading->main, length) == 0))
		return true;
	snprintf(kind, sizeof(kind), "what is of '%.*s' is left out; see --instances", (int)length, event->buffer);
	text_trouble(text, kind, false, number, 1);
	return false;
}

/*
 * Tools that convert other traces to ftrace text write "....", even for a switch of threads, when interrupts are off. So flags are unknown
 * until an event has one.
 */
static void doubt_flags(struct reading *reading, struct text_event *event)
{
	if (event->flags == TEXT_FLAGS_UNKNOWN)
		return;
	reading->flagged |= !event->flags_bare;
	if (!reading->flagged)
		event->flags = TEXT_FLAGS_UNKNOWN;
}

static int take_line(struct text *text, void *context, const char *line, size_t length, uint64_t number)
{
	struct reading *reading = context;
	struct text_event event;
	enum ftrace_line kind;
	uint64_t count = 0;

	length = without_escape(line, length);
	kind = ftrace_line_read(line, length, &event, &count);
	if ((kind == FTRACE_EVENT || kind == FTRACE_LOST) && !is_wanted(text, reading, &event, number))
		return 0;
	switch (kind) {
	case FTRACE_EVENT:
		text_lost(text, &event, reading->overrun);
		reading->overrun = 0;
		doubt_flags(reading, &event);
		return text_event(text, &event, number);
	case FTRACE_LOST:
		text_lost(text, &event, count ? count : 1);
		return 0;
	case FTRACE_NOTHING:
		take_heading(reading, line, length);
		reading->overrun += overwritten(line, length);
		return text_comment(text, line, length, number);
	default:
		text_trouble(text, troubles[kind].kind, troubles[kind].missing, number, 1);
		return 0;
	}
}

static bool is_event(const char *line, size_t length)
{
	struct text_event event;
	uint64_t count;
	enum ftrace_line kind = ftrace_line_read(line, length, &event, &count);

	return kind == FTRACE_EVENT || kind == FTRACE_LOST || kind == FTRACE_TICKS;
}

static bool has_flag(const char *line, size_t length)
{
	struct text_event event = {.flags_bare = true};
	uint64_t count;

	return ftrace_line_read(line, length, &event, &count) == FTRACE_EVENT && event.flags != TEXT_FLAGS_UNKNOWN && !event.flags_bare;
}

static size_t is_ftrace(const char *bytes, size_t length)
{
	static const char heading[] = "# tracer:";

	if (length >= sizeof(heading) - 1 && memcmp(bytes, heading, sizeof(heading) - 1) == 0)
		return IMPORT_SURE;
	return text_count_lines(bytes, length, is_event);
}

/* -1 after fail(). */
static int begin(struct reading *reading, const struct import *import, struct import_input *input)
{
	const char *bytes;
	size_t length;

	if (lines_peek(&input->lines, &bytes, &length) < 0)
		return -1;
	*reading = (struct reading){.instances = import_options(import)->instances, .flagged = text_count_lines(bytes, length, has_flag)};
	return 0;
}

static int read_ftrace(struct import *import, struct import_input *input)
{
	struct reading reading;

	if (begin(&reading, import, input) < 0)
		return -1;
	return text_read(import, input, take_line, NULL, &reading);
}

/* --- HTML --------------------------------------------------------------------------------------------------------- */

static size_t is_page(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && strchr(" \t\r\n\357\273\277", bytes[at]))
		at++;
	return length - at > 5 && bytes[at] == '<' && (bytes[at + 1] == '!' || strncasecmp(bytes + at + 1, "html", 4) == 0) ? IMPORT_SURE : 0;
}

/* A script may hold other text than events, such as a list of processes. Such lines are reported one by one only if events follow them. */
struct section {
	bool inside, has_events;
	uint64_t first, others; /* lines before the first event that are not understood: number of the first one, and count */
	struct reading reading;
};

static bool starts(const char *line, const char *text)
{
	return strncmp(line, text, strlen(text)) == 0;
}

/* The trace stands in scripts of class trace-data. Older pages have it in a string, each line of which ends in \n\ . */
static bool begins_section(const char *line)
{
	line += strspn(line, " \t");
	return (starts(line, "<script") && strstr(line, "trace-data")) || starts(line, "var linuxPerfData = ");
}

static bool ends_section(const char *line)
{
	line += strspn(line, " \t");
	return starts(line, "</script>") || starts(line, "\";");
}

static int end_section(struct text *text, void *context)
{
	const struct section *section = context;

	if (section->others)
		text_trouble(text, section->has_events ? troubles[FTRACE_OTHER].kind : "a part that is no ftrace text is left out",
			     section->has_events, section->first, section->others);
	return 0;
}

static int take_page_line(struct text *text, void *context, const char *line, size_t length, uint64_t number)
{
	struct section *section = context;
	struct text_event event;
	uint64_t count;

	if (!section->inside || ends_section(line)) {
		if (section->inside)
			end_section(text, section);
		*section = (struct section){.inside = !section->inside && begins_section(line), .reading = section->reading};
		return 0;
	}
	if (!section->has_events)
		section->has_events = is_event(line, length);
	if (section->has_events || ftrace_line_read(line, length, &event, &count) != FTRACE_OTHER)
		return take_line(text, &section->reading, line, length, number);
	if (section->others++ == 0)
		section->first = number;
	return 0;
}

static int read_page(struct import *import, struct import_input *input)
{
	struct section section = {0};

	if (begin(&section.reading, import, input) < 0)
		return -1;
	return text_read(import, input, take_page_line, end_section, &section);
}

const struct import_format import_ftrace = {.name = "ftrace", .words = "ftrace text", .is = is_ftrace, .read = read_ftrace};
const struct import_format import_systrace = {.name = "systrace", .words = "systrace HTML", .is = is_page, .read = read_page};
