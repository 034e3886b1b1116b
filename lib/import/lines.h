/*
 * lines: the lines of a file or pipe, one after the other, with their numbers.
 *
 * Memory is that of the longest line, but no more than LINES_LONGEST: what goes beyond that is left out of a line.
 */
#ifndef IMPORT_LINES_H
#define IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum { LINES_LONGEST = BUFFER_SIZE(64 << 10, 2048) };

struct lines {
	uint64_t number; /* of the line at hand, from 1 */
	/* private */
	int fd;
	const char *name;
	char *buffer;
	size_t start, length;
	bool ended;
	int (*wait)(void *context, int fd);
	void *context;
};

/* `wait` is called before a read that would block; what it returns other than 0 ends the reading. */
void lines_open(struct lines *lines, const char *name, int fd, int (*wait)(void *context, int fd), void *context);
void lines_close(struct lines *lines); /* not the descriptor */

/* Goes on with another file, from its first line. */
void lines_restart(struct lines *lines, int fd);

/* The first bytes, at most LINES_LONGEST, before any line is read; they stay to be read. -1 after fail(). */
int lines_peek(struct lines *lines, const char **bytes, size_t *length);

/* Waits for more of them than lines_peek() gave. 1; 0: there are none, or no more are given; -1 after fail(). */
int lines_peek_more(struct lines *lines);

/* The next line, without its newline, with a NUL behind it; valid until the next call. 1; 0: the end; -1 after fail(). */
int lines_next(struct lines *lines, char **text, size_t *length);

#endif
