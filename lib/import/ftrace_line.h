/*
 * ftrace_line: reads a line of the kernel's `trace` and `trace_pipe` files, of trace-cmd report or of Android's atrace.
 *
 *	COMM-TID ( TGID) [CPU] FLAGS SECONDS.DECIMALS: EVENT: PAYLOAD
 *	COMM-TID CPUFLAGS MICROSECONDSus : EVENT: PAYLOAD	(latency-format)
 *	SECONDS.DECIMALS | CPU) COMM-TID | | comment		(function_graph; the comment is EVENT: PAYLOAD)
 *
 * TGID and FLAGS may be absent; a prefix may precede the line. COMM may hold any characters, even brackets and
 * dashes, so COMM ends at the first place after which the rest has this form.
 */
#ifndef IMPORT_FTRACE_LINE_H
#define IMPORT_FTRACE_LINE_H

#include "import/text.h"
#include "import/text_span.h"

enum ftrace_line {
	FTRACE_EVENT,
	FTRACE_LOST,	/* *count events of event->cpu were lost; 0: an unknown number */
	FTRACE_NOTHING, /* a comment, a blank line, a heading */
	FTRACE_STACK,	/* a line of a call stack */
	FTRACE_GRAPH,	/* function_graph: a function is entered or left */
	FTRACE_BARE,	/* function_graph: an event without time or thread */
	FTRACE_TICKS,	/* an event whose time is a count, not a time */
	FTRACE_OTHER,	/* not understood */
};

/* Classifies a line. The event's parts point into the line. */
enum ftrace_line ftrace_line_read(const char *line, size_t length, struct text_event *event, uint64_t *count);

/* Removes the "NAME: " of a line that has no thread: "NAME: cpus=2", "NAME: CPU:0 [LOST 12 EVENTS]". Returns NAME or an empty span. */
struct text_span prefix_word(struct text_span *line);

#endif
