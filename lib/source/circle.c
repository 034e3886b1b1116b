#include "source/circle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

/* A part of a page would be read from the disk before it is written, where the kernel keeps it no more. */
enum { PAGE = 4096 };

/* Numbers of chunks in the file; the first `gone` of them are not there any more. */
struct chunks {
	ARRAY(uint32_t) list;
	size_t gone;
};

struct circle {
	int fd;
	uint64_t first, end; /* chunks from and to, as if the file kept everything */
	struct chunks used;  /* where these are, from `first` on */
	struct chunks free;  /* with blocks; the oldest first */
	struct chunks empty; /* without */
	uint32_t count;	     /* of all of them */
	uint32_t most;	     /* with blocks */
	uint64_t to;
};

struct circle_view {
	int fd;
	uint64_t first;
	uint32_t *chunks;
};

static size_t count_of(const struct chunks *chunks)
{
	return chunks->list.count - chunks->gone;
}

static uint32_t take_first(struct chunks *chunks)
{
	uint32_t chunk = chunks->list.items[chunks->gone++];

	if (chunks->gone > chunks->list.count / 2) {
		chunks->list.count -= chunks->gone;
		memmove(chunks->list.items, chunks->list.items + chunks->gone, chunks->list.count * sizeof(*chunks->list.items));
		chunks->gone = 0;
	}
	return chunk;
}

/* Gives something back at once, so that a file system that cannot is refused before tracing. */
static bool gives_back(int fd)
{
	return ftruncate(fd, PAGE) == 0 && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE) == 0 && ftruncate(fd, 0) == 0;
}

struct circle *circle_open(int folder, uint64_t size)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct circle *circle;

	if (fd < 0) {
		fail_errno("no file without a name can be made there");
		return NULL;
	}
	if (!gives_back(fd)) {
		fail_errno("its file system cannot give back parts of files");
		close(fd);
		return NULL;
	}
	circle = NEW(struct circle);
	circle->fd = fd;
	circle->most = (uint32_t)(size / CIRCLE_CHUNK + 2);
	return circle;
}

void circle_close(struct circle *circle)
{
	close(circle->fd);
	free(circle->used.list.items);
	free(circle->free.list.items);
	free(circle->empty.list.items);
	free(circle);
}

int circle_fd(const struct circle *circle)
{
	return circle->fd;
}

static void add_chunk(struct circle *circle)
{
	*ARRAY_ADD(&circle->used.list) = count_of(&circle->free)    ? take_first(&circle->free)
					 : count_of(&circle->empty) ? take_first(&circle->empty)
								    : circle->count++;
	circle->end++;
}

static const uint32_t *place_of(const struct circle *circle, uint64_t chunk)
{
	return &circle->used.list.items[circle->used.gone + (chunk - circle->first)];
}

/* Writes all of it, and zeros behind it up to the end of the page. */
static int write_run(int fd, const char *bytes, size_t length, uint64_t at)
{
	static const char zeros[PAGE];
	size_t rest = (PAGE - (at + length) % PAGE) % PAGE, done = 0;

	while (done < length) {
		struct iovec parts[] = {{(char *)(uintptr_t)bytes + done, length - done}, {(char *)(uintptr_t)zeros, rest}};
		ssize_t written = pwritev(fd, parts, rest ? 2 : 1, (off_t)(at + done));

		if (written < 0 && errno != EINTR)
			return fail_errno("cannot write the file of --ring");
		done += written > 0 ? (size_t)written : 0;
	}
	return 0;
}

int circle_write(struct circle *circle, const char *bytes, size_t length)
{
	while (length > 0) {
		uint64_t chunk = circle->to / CIRCLE_CHUNK, within = circle->to % CIRCLE_CHUNK, room = CIRCLE_CHUNK - within;
		uint64_t at;

		if (chunk == circle->end)
			add_chunk(circle);
		at = (uint64_t)*place_of(circle, chunk) * CIRCLE_CHUNK + within;
		while (room < length) { /* chunks that lie behind one another are written at once */
			if (++chunk == circle->end)
				add_chunk(circle);
			if (*place_of(circle, chunk) != (at + room) / CIRCLE_CHUNK)
				break;
			room += CIRCLE_CHUNK;
		}
		room = room < length ? room : length;
		if (write_run(circle->fd, bytes, room, at) < 0)
			return -1;
		circle->to += room;
		bytes += room;
		length -= room;
	}
	return 0;
}

int circle_forget(struct circle *circle, uint64_t from)
{
	for (; circle->first < from / CIRCLE_CHUNK && circle->first < circle->end; circle->first++) {
		uint32_t chunk = take_first(&circle->used);

		if (count_of(&circle->used) + count_of(&circle->free) < circle->most) {
			*ARRAY_ADD(&circle->free.list) = chunk;
			continue;
		}
		*ARRAY_ADD(&circle->empty.list) = chunk;
		if (fallocate(circle->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)chunk * CIRCLE_CHUNK, CIRCLE_CHUNK) < 0)
			return fail_errno("cannot give back what is old in the file of --ring");
	}
	return 0;
}

struct circle_view *circle_view(const struct circle *circle, uint64_t from, uint64_t to)
{
	struct circle_view *view = NEW(struct circle_view);
	uint64_t count;

	view->fd = circle->fd;
	view->first = from / CIRCLE_CHUNK;
	count = (to + CIRCLE_CHUNK - 1) / CIRCLE_CHUNK - view->first;
	view->chunks = memory_new(count + 1, sizeof(*view->chunks));
	for (uint64_t i = 0; i < count; i++)
		view->chunks[i] = *place_of(circle, view->first + i);
	return view;
}

int circle_read(const struct circle_view *view, char *bytes, size_t length, uint64_t at)
{
	while (length > 0) {
		uint64_t within = at % CIRCLE_CHUNK, room = CIRCLE_CHUNK - within;
		uint64_t place = (uint64_t)view->chunks[at / CIRCLE_CHUNK - view->first] * CIRCLE_CHUNK + within;

		room = room < length ? room : length;
		if (pread(view->fd, bytes, room, (off_t)place) != (ssize_t)room)
			return fail_errno("cannot read the file of --ring");
		bytes += room;
		length -= room;
		at += room;
	}
	return 0;
}

void circle_view_free(struct circle_view *view)
{
	if (view)
		free(view->chunks);
	free(view);
}
