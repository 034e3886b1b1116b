/* A ring file holds what was not forgotten, and what a view still reads, and takes no more room than it may. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/ring_file.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum { SIZE = 1 << 20, MOST = 200000 };

/* The byte at a place, and that many from there on. */
static char byte_at(uint64_t at)
{
	return (char)(at * 2654435761u >> 13);
}

static void write_more(struct ring_file *file, uint64_t *to, size_t length)
{
	static char bytes[MOST];

	for (size_t i = 0; i < length; i++)
		bytes[i] = byte_at(*to + i);
	CHECK(ring_file_write(file, bytes, length) == 0);
	*to += length;
}

static void check_part(const struct ring_file_view *view, uint64_t from, uint64_t to)
{
	static char bytes[MOST];

	for (size_t length; from < to; from += length) {
		length = to - from < MOST ? (size_t)(to - from) : MOST;
		CHECK(ring_file_read(view, bytes, length, from) == 0);
		for (size_t i = 0; i < length; i++)
			CHECK(bytes[i] == byte_at(from + i));
	}
}

/* Without what the file system itself needs to tell where they are: ext4 counts such a block with the file's. */
static long long room_of(const struct ring_file *file)
{
	int fd = ring_file_fd(file);
	long long room = 0;
	off_t data, hole = 0;

	while ((data = lseek(fd, hole, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		CHECK(hole > data);
		room += hole - data;
	}
	return room;
}

int main(void)
{
	int folder = open(".", O_RDONLY | O_DIRECTORY);
	struct ring_file *file = ring_file_open(folder, SIZE);
	struct ring_file_view *view = NULL;
	uint64_t from = 0, to = 0, viewed_from = 0, viewed_to = 0;

	CHECK(file);
	srand(1);
	for (int i = 0; i < 400; i++) {
		write_more(file, &to, 1 + (size_t)rand() % (i % 3 == 0 ? MOST : 5000));
		/* now and then somebody reads for a while: until then nothing is forgotten */
		if (i % 50 == 20) {
			view = ring_file_view(file, viewed_from = from, viewed_to = to);
		} else if (view && i % 50 == 40) {
			check_part(view, viewed_from, viewed_to);
			ring_file_view_free(view);
			view = NULL;
		}
		if (!view) {
			from = to > SIZE && to - SIZE > from ? to - SIZE : from;
			CHECK(ring_file_forget(file, from) == 0);
			CHECK(room_of(file) <= SIZE + 2 * RING_FILE_CHUNK);
		}
	}
	view = ring_file_view(file, from, to);
	check_part(view, from, to);
	ring_file_view_free(view);
	ring_file_close(file);
	return 0;
}
