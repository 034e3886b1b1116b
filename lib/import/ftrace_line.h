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
	FTRACE_LOST,	/* lost *count events of event->cpu; 0: an unknown number */
	FTRACE_NOTHING, /* a comment, a blank line, a heading */
	FTRACE_STACK,	/* a line of a call stack */
	FTRACE_GRAPH,	/* of function_graph: a function, entered or left */
	FTRACE_BARE,	/* an event of function_graph without time or thread */
	FTRACE_TICKS,	/* an event whose time is a count, not a time */
	FTRACE_OTHER,	/* not understood */
};

/* Classifies a line. The event's parts point into it. */
enum ftrace_line ftrace_line_read(const char *line, size_t length, struct text_event *event, uint64_t *count);

/* Removes "NAME: " before a word in place of a thread: "NAME: cpus=2", "NAME: CPU:0 [LOST 12 EVENTS]". Returns NAME; empty: there is none. */
struct text_span prefix_word(struct text_span *line);

#endif
