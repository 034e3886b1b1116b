/*
 * ftrace_line: one line of what the kernel's `trace` and `trace_pipe` files, trace-cmd report and Android's atrace print.
 *
 *	COMM-TID ( TGID) [CPU] FLAGS SECONDS.DECIMALS: EVENT: PAYLOAD
 *	COMM-TID CPUFLAGS MICROSECONDSus : EVENT: PAYLOAD	(latency-format)
 *	SECONDS.DECIMALS | CPU) COMM-TID | | comment		(function_graph; the comment is EVENT: PAYLOAD)
 *
 * TGID and FLAGS may be absent; before it may stand what import/ftrace_prefix.h says. COMM may hold anything, brackets and
 * dashes too, so the line is read from the first place on where all that must follow does follow.
 */
#ifndef IMPORT_FTRACE_LINE_H
#define IMPORT_FTRACE_LINE_H

#include "import/text.h"

enum ftrace_line {
	FTRACE_EVENT,
	FTRACE_LOST,	/* *count events of event->cpu; 0: the line does not tell how many */
	FTRACE_NOTHING, /* a comment, a blank line, a heading */
	FTRACE_STACK,	/* of a call stack */
	FTRACE_GRAPH,	/* of function_graph: a function, entered or left */
	FTRACE_BARE,	/* an event between such, without time or thread */
	FTRACE_TICKS,	/* an event whose time is a count, not a time */
	FTRACE_OTHER,	/* not understood */
};

/* What the line is; its parts point into it. */
enum ftrace_line ftrace_line_read(const char *line, size_t length, struct text_event *event, uint64_t *count);

#endif
