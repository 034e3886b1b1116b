/*
 * strace_line: reads a line of a log by strace(1).
 *
 *	[TID |[pid TID] ]SECONDS NAME(ARGUMENT, ...) = RESULT [EXPLANATION] [<DURATION>]
 *	... NAME(ARGUMENT, ... <unfinished ...>		the call returns in a later line of the thread:
 *	... <... NAME resumed>, ARGUMENT) = RESULT <DURATION>
 *	... --- SIGCHLD {si_signo=SIGCHLD, ...} ---	a signal
 *	... +++ exited with 0 +++			the thread ends
 */
#ifndef IMPORT_STRACE_LINE_H
#define IMPORT_STRACE_LINE_H

#include "import/text_span.h"

enum { STRACE_ARGUMENTS = 6, STRACE_UNTIMED = -1 };

enum strace_kind {
	STRACE_CALL,
	STRACE_RESUMED,
	STRACE_SIGNAL,
	STRACE_ENDED,
	STRACE_TAIL,	 /* the end of a call, without a time: "strace: Process ... attached" had cut the call's line */
	STRACE_ATTACHED, /* strace traces another thread from here on */
	STRACE_MESSAGE,	 /* another message of strace */
	STRACE_STACK,	 /* a stack frame, by option -k */
	STRACE_NO_TIME,	 /* a call without a time, or with one that does not count from 1970 */
	STRACE_OTHER,	 /* not understood */
};

/* Spans point into the line. */
struct strace_line {
	enum strace_kind kind;
	int32_t tid;   /* 0: the line does not tell */
	bool bracketed; /* it has the form [pid TID] */
	int32_t attached; /* the thread that strace traces from here on; 0: none */
	int64_t ts;    /* nanoseconds since 1970 */
	struct text_span name, arguments;
	bool unfinished;
	bool returned; /* then: */
	int64_t result; /* an error is negative, as the kernel returns it */
	int64_t duration; /* nanoseconds, or STRACE_UNTIMED */
};

void strace_line_read(const char *line, size_t length, struct strace_line *read);

/* Reads the arguments as numbers; an argument that is no number becomes 0. Returns how many there are; nothing behind a last comma counts. */
int strace_line_numbers(struct text_span arguments, uint64_t numbers[STRACE_ARGUMENTS]);

/* Reads "12", "-1", "0x1f" or "022" at the beginning. Returns what follows; NULL: no number begins there. */
const char *strace_number(struct text_span text, uint64_t *number);

/* The text in the first pair of quotes; empty: there is none. */
struct text_span strace_quoted(struct text_span text);

#endif
