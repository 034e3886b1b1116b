#include "stream/reader_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/input.h"
#include "base/memory.h"

enum { BUFFER = BUFFER_SIZE(1 << 18, 256) };

/* Prepares to read a file from its beginning. */
static void begin_file(struct reader *reader, const char *name)
{
	reader->name = name;
	reader->offset = reader->start = reader->length = 0;
	reader->line = 0;
	reader->text = true;
	reader->fresh = true;
	reader->open = reader->swapped = reader->blocks = false;
	reader->left = 0;
}

int reader_open_next(struct reader *reader)
{
	const char *name;

	if (reader->next == reader->count)
		return 0;
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	name = reader->files[reader->next++];
	begin_file(reader, name);
	if (!strcmp(name, "-")) {
		reader->name = STANDARD_INPUT;
		reader->fd = STDIN_FILENO;
		return 1;
	}
	reader->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return fail_errno("cannot open '%s'", name);
	posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 1;
}

static struct reader *reader_new(void)
{
	struct reader *reader = NEW(struct reader);

	reader->room = BUFFER;
	reader->buffer = memory_new(reader->room, 1);
	return reader;
}

struct reader *reader_attach(int fd, const char *name)
{
	struct reader *reader = reader_new();

	begin_file(reader, name);
	reader->fd = fd;
	return reader;
}

struct reader *reader_open(char *const *files, int count)
{
	static char *const standard_input[] = {"-"};
	struct reader *reader = reader_new();

	reader->files = count ? files : standard_input;
	reader->count = count ? count : 1;
	if (reader_open_next(reader) < 0) {
		reader_close(reader);
		return NULL;
	}
	return reader;
}

void reader_close(struct reader *reader)
{
	if (reader->fd > STDIN_FILENO)
		close(reader->fd);
	free(reader->buffer);
	free(reader->cuts.first);
	free(reader->where);
	line_free(&reader->loss);
	free(reader);
}

void reader_on_wait(struct reader *reader, int (*wait)(void *, int), void *context)
{
	reader->wait = wait;
	reader->context = context;
}

int reader_fill(struct reader *reader)
{
	ssize_t got;

	if (reader->start > 0) {
		memmove(reader->buffer, reader->buffer + reader->start, reader->length - reader->start);
		reader->offset += reader->start;
		reader->length -= reader->start;
		reader->start = 0;
	}
	if (reader->length + 1 == reader->room) /* keep room for a NUL */
		reader->buffer = memory_grow(reader->buffer, reader->room *= 2, 1);
	got = read_or_wait(reader->fd, reader->name, reader->buffer + reader->length, reader->room - reader->length - 1,
			   reader->wait, reader->context);
	if (got < 0)
		return -1;
	reader->length += (size_t)got;
	reader->buffer[reader->length] = '\0';
	return got > 0;
}
