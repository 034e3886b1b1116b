/* A file that is written round holds what was not forgotten, what a view reads too, and takes no more room than it may. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/circle.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum { SIZE = 1 << 20, MOST = 200000 };

/* The byte at a place, and that many from there on. */
static char byte_at(uint64_t at)
{
	return (char)(at * 2654435761u >> 13);
}

static void write_more(struct circle *circle, uint64_t *to, size_t length)
{
	static char bytes[MOST];

	for (size_t i = 0; i < length; i++)
		bytes[i] = byte_at(*to + i);
	CHECK(circle_write(circle, bytes, length) == 0);
	*to += length;
}

static void check_part(const struct circle_view *view, uint64_t from, uint64_t to)
{
	static char bytes[MOST];

	for (size_t length; from < to; from += length) {
		length = to - from < MOST ? (size_t)(to - from) : MOST;
		CHECK(circle_read(view, bytes, length, from) == 0);
		for (size_t i = 0; i < length; i++)
			CHECK(bytes[i] == byte_at(from + i));
	}
}

/* Without what the file system itself needs to tell where they are: ext4 counts such a block with the file's. */
static long long room_of(const struct circle *circle)
{
	int fd = circle_fd(circle);
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
	struct circle *circle = circle_open(folder, SIZE);
	struct circle_view *view = NULL;
	uint64_t from = 0, to = 0, viewed_from = 0, viewed_to = 0;

	CHECK(circle);
	srand(1);
	for (int i = 0; i < 400; i++) {
		write_more(circle, &to, 1 + (size_t)rand() % (i % 3 == 0 ? MOST : 5000));
		/* now and then somebody reads for a while: until then nothing is forgotten */
		if (i % 50 == 20) {
			view = circle_view(circle, viewed_from = from, viewed_to = to);
		} else if (view && i % 50 == 40) {
			check_part(view, viewed_from, viewed_to);
			circle_view_free(view);
			view = NULL;
		}
		if (!view) {
			from = to > SIZE && to - SIZE > from ? to - SIZE : from;
			CHECK(circle_forget(circle, from) == 0);
			CHECK(room_of(circle) <= SIZE + 2 * CIRCLE_CHUNK);
		}
	}
	view = circle_view(circle, from, to);
	check_part(view, from, to);
	circle_view_free(view);
	circle_close(circle);
	return 0;
}
