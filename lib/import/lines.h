/*
 * lines: reads the lines of a file or pipe, with their numbers.
 *
 * Memory is that of the longest line, up to LINES_LONGEST; the rest of a longer line is left out.
 */
#ifndef IMPORT_LINES_H
#define IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/memory.h"

enum { LINES_LONGEST = 64 << 10 };

struct lines {
	uint64_t number; /* of the current line, from 1 */
	/* private */
	int fd;
	const char *name;
	char *buffer;
	size_t start, length, room;
	bool ended;
	int (*wait)(void *context, int fd);
	void *context;
};

/* Calls wait() before a read that would block; if it returns other than 0, reading ends. */
void lines_open(struct lines *lines, const char *name, int fd, int (*wait)(void *context, int fd), void *context);
void lines_close(struct lines *lines); /* leaves the descriptor open */

/* Goes on with another file, from its first line. */
void lines_restart(struct lines *lines, int fd);

/* Peeks at the first bytes, at most LINES_LONGEST, before any line is read. 0; -1 after fail(). */
int lines_peek(struct lines *lines, const char **bytes, size_t *length);

/* Waits until lines_peek() can give more. 1; 0: the file ends, or lines_peek() gives its most; -1 after fail(). */
int lines_peek_more(struct lines *lines);

/* Reads bytes instead of lines. Returns their count; 0 at the end; -1 after fail(). */
ssize_t lines_read(struct lines *lines, char *bytes, size_t room);

/* Gives the next line, without its newline, ended by NUL; valid until the next call. 1; 0: the end; -1 after fail(). */
int lines_next(struct lines *lines, char **text, size_t *length);

#endif
