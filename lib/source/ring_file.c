#include "source/ring_file.h"

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

/* Whole pages are written: before writing a part of a page, the kernel would read the page from the disk if it is not in memory any more. */
enum { PAGE = 4096 };

/* A queue of numbers of chunks in the file; the first `gone` of the list were taken out. */
struct chunks {
	ARRAY(uint32_t) list;
	size_t gone;
};

struct ring_file {
	int fd;
	uint64_t first, end; /* chunks in use, from and to, as if the file kept everything */
	struct chunks used;  /* where these are in the file, from `first` on */
	struct chunks free;  /* unused chunks with blocks; the oldest first */
	struct chunks empty; /* unused chunks without blocks */
	uint32_t count;	     /* of all chunks */
	uint32_t most;	     /* of chunks with blocks */
	uint64_t to;
};

struct ring_file_view {
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
		ARRAY_REMOVE(&chunks->list, 0, chunks->gone);
		chunks->gone = 0;
	}
	return chunk;
}

/* Tries to give a page back, so that a file system that cannot do it is refused before tracing. */
static bool gives_back(int fd)
{
	return ftruncate(fd, PAGE) == 0 && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE) == 0 && ftruncate(fd, 0) == 0;
}

struct ring_file *ring_file_open(int folder, uint64_t size)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct ring_file *file;

	if (fd < 0) {
		fail_errno("no file without a name can be made there");
		return NULL;
	}
	if (!gives_back(fd)) {
		fail_errno("its file system cannot give back parts of files");
		close(fd);
		return NULL;
	}
	file = NEW(struct ring_file);
	file->fd = fd;
	file->most = (uint32_t)(size / RING_FILE_CHUNK + 2);
	return file;
}

void ring_file_close(struct ring_file *file)
{
	close(file->fd);
	free(file->used.list.items);
	free(file->free.list.items);
	free(file->empty.list.items);
	free(file);
}

int ring_file_fd(const struct ring_file *file)
{
	return file->fd;
}

static void add_chunk(struct ring_file *file)
{
	*ARRAY_ADD(&file->used.list) = count_of(&file->free)    ? take_first(&file->free)
					 : count_of(&file->empty) ? take_first(&file->empty)
								    : file->count++;
	file->end++;
}

static const uint32_t *place_of(const struct ring_file *file, uint64_t chunk)
{
	return &file->used.list.items[file->used.gone + (chunk - file->first)];
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

int ring_file_write(struct ring_file *file, const char *bytes, size_t length)
{
	while (length > 0) {
		uint64_t chunk = file->to / RING_FILE_CHUNK, within = file->to % RING_FILE_CHUNK, room = RING_FILE_CHUNK - within;
		uint64_t at;

		if (chunk == file->end)
			add_chunk(file);
		at = (uint64_t)*place_of(file, chunk) * RING_FILE_CHUNK + within;
		while (room < length) { /* chunks that lie behind one another are written at once */
			if (++chunk == file->end)
				add_chunk(file);
			if (*place_of(file, chunk) != (at + room) / RING_FILE_CHUNK)
				break;
			room += RING_FILE_CHUNK;
		}
		room = room < length ? room : length;
		if (write_run(file->fd, bytes, room, at) < 0)
			return -1;
		file->to += room;
		bytes += room;
		length -= room;
	}
	return 0;
}

int ring_file_forget(struct ring_file *file, uint64_t from)
{
	for (; file->first < from / RING_FILE_CHUNK && file->first < file->end; file->first++) {
		uint32_t chunk = take_first(&file->used);

		if (count_of(&file->used) + count_of(&file->free) < file->most) {
			*ARRAY_ADD(&file->free.list) = chunk;
			continue;
		}
		*ARRAY_ADD(&file->empty.list) = chunk;
		if (fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)chunk * RING_FILE_CHUNK, RING_FILE_CHUNK) < 0)
			return fail_errno("cannot give back what is old in the file of --ring");
	}
	return 0;
}

struct ring_file_view *ring_file_view(const struct ring_file *file, uint64_t from, uint64_t to)
{
	struct ring_file_view *view = NEW(struct ring_file_view);
	uint64_t count;

	view->fd = file->fd;
	view->first = from / RING_FILE_CHUNK;
	count = (to + RING_FILE_CHUNK - 1) / RING_FILE_CHUNK - view->first;
	view->chunks = memory_new(count + 1, sizeof(*view->chunks));
	for (uint64_t i = 0; i < count; i++)
		view->chunks[i] = *place_of(file, view->first + i);
	return view;
}

int ring_file_read(const struct ring_file_view *view, char *bytes, size_t length, uint64_t at)
{
	while (length > 0) {
		uint64_t within = at % RING_FILE_CHUNK, room = RING_FILE_CHUNK - within;
		uint64_t place = (uint64_t)view->chunks[at / RING_FILE_CHUNK - view->first] * RING_FILE_CHUNK + within;

		room = room < length ? room : length;
		if (pread(view->fd, bytes, room, (off_t)place) != (ssize_t)room)
			return fail_errno("cannot read the file of --ring");
		bytes += room;
		length -= room;
		at += room;
	}
	return 0;
}

void ring_file_view_free(struct ring_file_view *view)
{
	if (view)
		free(view->chunks);
	free(view);
}
