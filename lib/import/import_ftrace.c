/* ftrace text, plain or within an HTML page. */
#include <string.h>

#include "base/number.h"
#include "import/ftrace_line.h"

/* "# entries-in-buffer/entries-written: 200/260   #P:2": the oldest 60 had been overwritten. */
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

/* One line; `overrun` is what was lost before the first event, whose CPU is not known until it comes. */
static int take_line(struct text *text, const char *line, size_t length, uint64_t number, uint64_t *overrun)
{
	struct text_event event;
	uint64_t count = 0;

	switch (ftrace_line_read(line, length, &event, &count)) {
	case FTRACE_EVENT:
		text_lost(text, event.cpu, *overrun);
		*overrun = 0;
		return text_event(text, &event, number);
	case FTRACE_LOST:
		text_lost(text, event.cpu, count ? count : 1);
		return 0;
	case FTRACE_OTHER:
		text_trouble(text, "this is no event", true, number);
		return 0;
	case FTRACE_NOTHING:
		*overrun += overwritten(line, length);
		return text_comment(text, line, length, number);
	}
	return 0;
}

static bool is_event(const char *line, size_t length)
{
	struct text_event event;
	uint64_t count;
	enum ftrace_line kind = ftrace_line_read(line, length, &event, &count);

	return kind == FTRACE_EVENT || kind == FTRACE_LOST;
}

static bool is_ftrace(const char *bytes, size_t length)
{
	static const char heading[] = "# tracer:";

	return (length >= sizeof(heading) - 1 && memcmp(bytes, heading, sizeof(heading) - 1) == 0) || text_any_line(bytes, length, is_event);
}

static int read_ftrace(struct import *import, struct import_input *input)
{
	struct text *text = text_begin(import, input);
	uint64_t overrun = 0;
	size_t length;
	char *line;
	int status;

	if (!text)
		return -1;
	while ((status = lines_next(&input->lines, &line, &length)) > 0 && !stream_output_closed(import_stream(import))) {
		status = take_line(text, line, length, input->lines.number, &overrun);
		if (status < 0)
			break;
	}
	return text_end(text) < 0 || status < 0 ? -1 : 0;
}

/* --- HTML --------------------------------------------------------------------------------------------------------- */

static bool is_page(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && strchr(" \t\r\n\357\273\277", bytes[at]))
		at++;
	return length - at > 5 && bytes[at] == '<' && (bytes[at + 1] == '!' || strncasecmp(bytes + at + 1, "html", 4) == 0);
}

/* The trace stands in a script of class trace-data; in older pages, in a string, each line ended by \n\ . */
static bool begins_trace(const char *line)
{
	return (strstr(line, "<script") && strstr(line, "trace-data")) || strstr(line, "linuxPerfData = ");
}

static size_t without_escape(const char *line, size_t length)
{
	return length >= 3 && memcmp(line + length - 3, "\\n\\", 3) == 0 ? length - 3 : length;
}

static int read_page(struct import *import, struct import_input *input)
{
	struct text *text = text_begin(import, input);
	uint64_t overrun = 0;
	bool inside = false;
	size_t length;
	char *line;
	int status;

	if (!text)
		return -1;
	while ((status = lines_next(&input->lines, &line, &length)) > 0 && !stream_output_closed(import_stream(import))) {
		if (!inside) {
			inside = begins_trace(line);
			continue;
		}
		if (strstr(line, "</script>") || strncmp(line, "\";", 2) == 0) {
			inside = false;
			continue;
		}
		status = take_line(text, line, without_escape(line, length), input->lines.number, &overrun);
		if (status < 0)
			break;
	}
	return text_end(text) < 0 || status < 0 ? -1 : 0;
}

const struct import_format import_ftrace = {"ftrace", is_ftrace, read_ftrace, NULL};
const struct import_format import_systrace = {"systrace", is_page, read_page, NULL};
