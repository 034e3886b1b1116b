#include "import/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"

/* A buffer begins small and grows only for long lines, because several hundred files may be open at a time. */
enum { ROOM = 4 * LINES_LONGEST, ROOM_FIRST = ROOM / 8 };

void lines_open(struct lines *lines, const char *name, int fd, int (*wait)(void *, int), void *context)
{
	*lines = (struct lines){.fd = fd, .name = name, .room = ROOM_FIRST, .wait = wait, .context = context};
	lines->buffer = memory_new(lines->room, 1);
}

void lines_close(struct lines *lines)
{
	free(lines->buffer);
}

void lines_restart(struct lines *lines, int fd)
{
	lines->fd = fd;
	lines->number = 0;
	lines->start = lines->length = 0;
	lines->ended = false;
}

/* 0; -1 after fail(). At the end of the file `ended` is set. */
static int fill(struct lines *lines)
{
	ssize_t got;

	if (lines->start > 0) {
		memmove(lines->buffer, lines->buffer + lines->start, lines->length - lines->start);
		lines->length -= lines->start;
		lines->start = 0;
	}
	if (lines->length >= lines->room / 2 && lines->room < ROOM)
		lines->buffer = memory_grow(lines->buffer, lines->room *= 2, 1);
	got = read_or_wait(lines->fd, lines->name, lines->buffer + lines->length, lines->room - lines->length - 1, lines->wait,
			   lines->context);
	if (got < 0)
		return -1;
	lines->length += (size_t)got;
	lines->ended = got == 0;
	return 0;
}

int lines_peek(struct lines *lines, const char **bytes, size_t *length)
{
	while (!lines->ended && lines->length < LINES_LONGEST && !memchr(lines->buffer, '\n', lines->length))
		if (fill(lines) < 0)
			return -1;
	*bytes = lines->buffer;
	*length = lines->length < LINES_LONGEST ? lines->length : LINES_LONGEST;
	return 0;
}

int lines_peek_more(struct lines *lines)
{
	if (lines->ended || lines->length >= LINES_LONGEST)
		return 0;
	return fill(lines) < 0 ? -1 : 1;
}

ssize_t lines_read(struct lines *lines, char *bytes, size_t room)
{
	size_t left = lines->length - lines->start;

	if (left == 0)
		return lines->ended ? 0 : read_or_wait(lines->fd, lines->name, bytes, room, lines->wait, lines->context);
	if (left > room)
		left = room;
	memcpy(bytes, lines->buffer + lines->start, left);
	lines->start += left;
	return (ssize_t)left;
}

/* Keeps only the beginning of the current line, to make room for the bytes up to its end. */
static void shorten(struct lines *lines)
{
	if (lines->length - lines->start > LINES_LONGEST)
		lines->length = lines->start + LINES_LONGEST;
}

int lines_next(struct lines *lines, char **text, size_t *length)
{
	size_t seen = 0;
	char *newline;

	while (!(newline = memchr(lines->buffer + lines->start + seen, '\n', lines->length - lines->start - seen))) {
		if (lines->ended)
			break;
		seen = lines->length - lines->start;
		if (seen > 2 * LINES_LONGEST) {
			shorten(lines);
			seen = lines->length - lines->start;
		}
		if (fill(lines) < 0)
			return -1;
	}
	*text = lines->buffer + lines->start;
	*length = newline ? (size_t)(newline - *text) : lines->length - lines->start;
	if (!newline && *length == 0)
		return 0;
	lines->start += *length + (newline != NULL);
	lines->number++;
	if (*length > LINES_LONGEST)
		*length = LINES_LONGEST;
	if (*length && (*text)[*length - 1] == '\r')
		--*length;
	(*text)[*length] = '\0';
	if (lines->number == 1 && strncmp(*text, "\357\273\277", 3) == 0) { /* the byte order mark that Windows puts before UTF-8 */
		*text += 3;
		*length -= 3;
	}
	return 1;
}
