#include "source/marker_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/memory.h"
#include "source/markers.h"

/* Rings of all processes, and of one, which has one for each of its threads that runs tasks; rows that are read at a time. */
enum { RINGS_MOST = 256, RINGS_EACH = 32, ROWS_MOST = 1 << 10 };

enum { NUMBERS = 5, ROW = NUMBERS * sizeof(double), TEXT_UNIT = 256, TEXT_MOST = 1000 };
enum { AT_MAGIC, AT_COUNT, AT_TID, AT_PID, AT_OPENED };

struct row {
	double number[NUMBERS];
};

struct marker_ring {
	int fd;
	int32_t pid;
	struct row head;
	uint64_t taken, until; /* rows so far; those to be taken now */
};

struct marker_rings {
	ARRAY(struct marker_ring) list;
	size_t at; /* the ring that is taken from */
	dev_t memory; /* the device of files in memory; 0: not known */
	struct row rows[ROWS_MOST];
	char texts[ROWS_MOST * ROW];
};

struct marker_rings *marker_rings_new(void)
{
	struct marker_rings *rings = NEW(struct marker_rings);
	int fd = memfd_create("tailblame", MFD_CLOEXEC);
	struct stat file;

	if (fd >= 0 && fstat(fd, &file) == 0)
		rings->memory = file.st_dev;
	if (fd >= 0)
		close(fd);
	return rings;
}

void marker_rings_free(struct marker_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->list.count; i++)
		close(rings->list.items[i].fd);
	free(rings->list.items);
	free(rings);
}

/* In its place comes the last one. */
static void drop(struct marker_rings *rings, size_t at)
{
	close(rings->list.items[at].fd);
	rings->list.items[at] = rings->list.items[--rings->list.count];
}

/* Reads `size` bytes; false: the file is shorter. */
static bool read_all(int fd, void *bytes, size_t size, off_t at)
{
	return pread(fd, bytes, size, at) == (ssize_t)size;
}

/* How many rows were put into the ring; what is no such head has fewer than before. */
static bool read_head(struct marker_ring *ring, uint64_t *count)
{
	double rows;

	if (!read_all(ring->fd, &ring->head, sizeof(ring->head), 0) || ring->head.number[AT_MAGIC] != MARKERS_MAGIC)
		return false;
	rows = ring->head.number[AT_COUNT];
	if (!(rows >= 0 && rows < 9007199254740992.0 && floor(rows) == rows))
		return false;
	*count = (uint64_t)rows;
	return *count >= ring->taken;
}

/*
 * A descriptor; -1: it is no file in memory. Others may have a server that answers when it likes, so what it is, is asked for before it is opened, in a way
 * that asks no server; and held meanwhile, because the process may put another file there.
 */
static int open_memory(const struct marker_rings *rings, int32_t pid, int number)
{
	struct cached_stat seen;
	char path[64];
	int held, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, number);
	held = open(path, O_PATH | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
	if (held >= 0 && rings->memory && cached_stat_at(path, &seen) && seen.device == rings->memory && S_ISREG(seen.mode))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (held >= 0)
		close(held);
	return fd;
}

bool marker_rings_add(struct marker_rings *rings, int32_t pid, int number)
{
	static const double opened = 1;
	struct marker_ring ring = {.pid = pid};
	size_t others = 0;
	uint64_t count;

	for (size_t i = 0; i < rings->list.count; i++)
		others += rings->list.items[i].pid == pid;
	ring.fd = rings->list.count == RINGS_MOST || others == RINGS_EACH ? -1 : open_memory(rings, pid, number);
	if (ring.fd < 0)
		return false;
	if (!read_head(&ring, &count) || pwrite(ring.fd, &opened, sizeof(opened), AT_OPENED * sizeof(double)) != sizeof(opened)) {
		close(ring.fd);
		return false;
	}
	*ARRAY_ADD(&rings->list) = ring;
	return true;
}

static bool is_over(const struct marker_ring *ring)
{
	return kill(ring->pid, 0) < 0 && errno == ESRCH;
}

void marker_rings_look(struct marker_rings *rings)
{
	for (size_t i = 0; i < rings->list.count;) {
		struct marker_ring *ring = &rings->list.items[i];
		bool over = is_over(ring); /* before the last look into it */

		if (!read_head(ring, &ring->until) || (over && ring->until == ring->taken))
			drop(rings, i);
		else
			i++;
	}
	rings->at = 0;
}

/* The next rows of the ring, in order; false: they are not there, or others have taken their place meanwhile. */
static bool read_rows(struct marker_rings *rings, struct marker_ring *ring, size_t count)
{
	size_t first = ring->taken % MARKER_RING_ROWS, before_end = MARKER_RING_ROWS - first < count ? MARKER_RING_ROWS - first : count;
	uint64_t now;

	return read_all(ring->fd, rings->rows, before_end * ROW, (off_t)(first + 1) * ROW) &&
	       read_all(ring->fd, rings->rows + before_end, (count - before_end) * ROW, ROW) && read_head(ring, &now) &&
	       now - ring->taken <= MARKER_RING_ROWS;
}

/* Bytes of text behind a marker's row; SIZE_MAX: it is none. */
static size_t text_of(const struct row *row)
{
	double what = row->number[1];

	return what >= 0 && what < TEXT_UNIT * (TEXT_MOST + 1.0) ? (size_t)what / TEXT_UNIT : SIZE_MAX;
}

static size_t rows_of(size_t text)
{
	return 1 + (text + ROW - 1) / ROW;
}

/* Whole markers out of the rows that were read; sets how many rows these are. Returns the datagram's size; 0: the first of them is none. */
static size_t make_datagram(struct marker_rings *rings, const struct marker_ring *ring, size_t count, char *datagram, size_t room, size_t *used)
{
	struct row head = {{MARKERS_MAGIC, 0, ring->head.number[AT_TID], ring->head.number[AT_PID], 0}};
	size_t size = ROW, texts = 0, at = 0;

	while (at < count) {
		const struct row *row = &rings->rows[at];
		size_t text = text_of(row);

		if (row->number[1] == 0) {
			at++;
			continue;
		}
		if (text == SIZE_MAX || at + rows_of(text) > count || size + ROW + texts + text > room)
			break;
		memcpy(datagram + size, row, ROW);
		memcpy(rings->texts + texts, row + 1, text);
		size += ROW;
		texts += text;
		head.number[1]++;
		at += rows_of(text);
	}
	memcpy(datagram, &head, ROW);
	memcpy(datagram + size, rings->texts, texts);
	*used = at;
	return at ? size + texts : 0;
}

static size_t tell_dropped(struct marker_ring *ring, char *datagram)
{
	struct row head = {{MARKERS_MAGIC, 0, ring->head.number[AT_TID], ring->head.number[AT_PID], (double)(ring->until - ring->taken)}};

	ring->taken = ring->until;
	memcpy(datagram, &head, ROW);
	return ROW;
}

size_t marker_rings_next(struct marker_rings *rings, char *datagram, size_t room, int32_t *pid)
{
	while (rings->at < rings->list.count) {
		struct marker_ring *ring = &rings->list.items[rings->at];
		size_t count = ring->until - ring->taken < ROWS_MOST ? (size_t)(ring->until - ring->taken) : ROWS_MOST, used, size;

		*pid = ring->pid;
		if (count == 0) {
			rings->at++;
			continue;
		}
		if (ring->until - ring->taken > MARKER_RING_ROWS || !read_rows(rings, ring, count))
			return tell_dropped(ring, datagram);
		size = make_datagram(rings, ring, count, datagram, room, &used);
		if (size) {
			ring->taken += used;
			return size;
		}
		size = tell_dropped(ring, datagram); /* it is not what it should be */
		drop(rings, rings->at);
		return size;
	}
	return 0;
}
