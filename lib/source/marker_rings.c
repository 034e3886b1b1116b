#include "source/marker_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/memory.h"
#include "source/markers.h"

/*
 * The most rings of all processes, of one user's processes, and of one process, which has one for each thread that runs tasks. The most rows that
 * are read at a time, and of all rings together between two looks, so that nobody keeps the collector busy with empty rows.
 */
enum { RINGS_MOST = 256, RINGS_OF_USER = 192, RINGS_EACH = 32, ROWS_MOST = 1 << 10, ROWS_OF_LOOK = 1 << 19 };

enum { NUMBERS = 5, ROW = NUMBERS * sizeof(double), TEXT_UNIT = 256, TEXT_MOST = 1000 };
enum { AT_MAGIC, AT_COUNT, AT_TID, AT_PID, AT_OPENED };

struct row {
	double number[NUMBERS];
};

struct marker_ring {
	int fd, process; /* process: a pidfd, because another process may get the number some day */
	int32_t pid;
	uid_t user;
	bool over; /* the process has ended: markers that others who have the file put there later are not read */
	struct row head;
	uint64_t taken, until; /* rows taken so far; rows put into the ring by the last look */
	size_t left;	       /* rows that may still be taken until the next look */
};

struct marker_rings {
	ARRAY(struct marker_ring) list;
	size_t at; /* the ring that is taken from */
	int one;      /* a file in memory with the number 1 */
	dev_t memory; /* the device of such files; 0: not known */
	struct row rows[ROWS_MOST];
	char texts[ROWS_MOST * ROW];
};

struct marker_rings *marker_rings_new(void)
{
	struct marker_rings *rings = NEW(struct marker_rings);
	const double one = 1;
	struct stat file;

	rings->one = memfd_create("tailblame", MFD_CLOEXEC);
	if (rings->one >= 0 && fstat(rings->one, &file) == 0 && write(rings->one, &one, sizeof(one)) == sizeof(one))
		rings->memory = file.st_dev;
	return rings;
}

static void close_ring(const struct marker_ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->process >= 0)
		close(ring->process);
}

void marker_rings_free(struct marker_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->list.count; i++)
		close_ring(&rings->list.items[i]);
	if (rings->one >= 0)
		close(rings->one);
	free(rings->list.items);
	free(rings);
}

/* Closes a ring; the last one of the list takes its place. */
static void drop(struct marker_rings *rings, size_t at)
{
	close_ring(&rings->list.items[at]);
	rings->list.items[at] = rings->list.items[--rings->list.count];
}

/* Reads `size` bytes; false: the file is shorter. */
static bool read_all(int fd, void *bytes, size_t size, off_t at)
{
	return pread(fd, bytes, size, at) == (ssize_t)size;
}

/* Reads how many rows were put into the ring so far. False: there is no valid head, or it has fewer rows than were taken. */
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
 * Opens the file that is the process's descriptor `number`; -1: it is no file in memory. Another file may have a server that answers when it likes.
 * So the kind of the file is found before it is opened, in a way that asks no server. Meanwhile the file is held by O_PATH, because the process may
 * put another one in its place.
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
		fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK); /* a lease is not waited for (F_SETLEASE) */
	if (held >= 0)
		close(held);
	return fd;
}

/*
 * Says in the file that it is opened. write(2) would wait for another write that has begun, which may wait for memory that a server has yet to give.
 * So pread(2) copies the number 1 into the mapped file: if the file has been cut, the copy fails.
 */
static bool tell_opened(const struct marker_rings *rings, const struct marker_ring *ring)
{
	char *page = mmap(NULL, ROW, PROT_WRITE, MAP_SHARED, ring->fd, 0);
	bool told;

	if (page == MAP_FAILED)
		return false;
	told = pread(rings->one, page + AT_OPENED * sizeof(double), sizeof(double), 0) == sizeof(double);
	munmap(page, ROW);
	return told;
}

static bool has_room(const struct marker_rings *rings, int32_t pid, uid_t user)
{
	size_t of_process = 0, of_user = 0;

	for (size_t i = 0; i < rings->list.count; i++) {
		of_process += rings->list.items[i].pid == pid;
		of_user += rings->list.items[i].user == user;
	}
	return rings->list.count < RINGS_MOST && of_user < RINGS_OF_USER && of_process < RINGS_EACH;
}

static bool is_over(const struct marker_ring *ring)
{
	struct pollfd ended = {.fd = ring->process, .events = POLLIN};

	return poll(&ended, 1, 0) > 0;
}

bool marker_rings_add(struct marker_rings *rings, int32_t pid, uid_t user, int number)
{
	struct marker_ring ring = {.fd = -1, .process = -1, .pid = pid, .user = user};
	uint64_t count;

	if (!has_room(rings, pid, user))
		return false;
	ring.process = (int)syscall(SYS_pidfd_open, pid, 0);
	ring.fd = ring.process < 0 ? -1 : open_memory(rings, pid, number);
	/* If the process is still there, no other has had its number meanwhile. */
	if (ring.fd < 0 || is_over(&ring) || !read_head(&ring, &count) || !tell_opened(rings, &ring)) {
		close_ring(&ring);
		return false;
	}
	*ARRAY_ADD(&rings->list) = ring;
	return true;
}

/* Looks how far the ring goes. False: its process has ended and nothing is left in it, or it is no ring. */
static bool look_at(struct marker_ring *ring)
{
	bool over = ring->over;

	ring->over = is_over(ring); /* before the head is read: if it has ended, that read is the last */
	if (!over && !read_head(ring, &ring->until))
		return false;
	return !ring->over || ring->until > ring->taken;
}

void marker_rings_look(struct marker_rings *rings, bool last)
{
	size_t share = ROWS_OF_LOOK / (rings->list.count + 1);

	for (size_t i = 0; i < rings->list.count;) {
		struct marker_ring *ring = &rings->list.items[i];

		ring->left = last ? SIZE_MAX : share > ROWS_MOST ? share : ROWS_MOST;
		if (look_at(ring))
			i++;
		else
			drop(rings, i);
	}
	rings->at = 0;
}

/* Reads the next rows of the ring, in order. False: they are not there, or were overwritten meanwhile. */
static bool read_rows(struct marker_rings *rings, struct marker_ring *ring, size_t count)
{
	size_t first = ring->taken % MARKER_RING_ROWS, before_end = MARKER_RING_ROWS - first < count ? MARKER_RING_ROWS - first : count;
	uint64_t now;

	return read_all(ring->fd, rings->rows, before_end * ROW, (off_t)(first + 1) * ROW) &&
	       read_all(ring->fd, rings->rows + before_end, (count - before_end) * ROW, ROW) && read_head(ring, &now) &&
	       now - ring->taken <= MARKER_RING_ROWS;
}

/* Bytes of text behind a marker's row; SIZE_MAX: the row is no marker. */
static size_t text_of(const struct row *row)
{
	double what = row->number[1];

	return what >= 0 && what < TEXT_UNIT * (TEXT_MOST + 1.0) ? (size_t)what / TEXT_UNIT : SIZE_MAX;
}

static size_t rows_of(size_t text)
{
	return 1 + (text + ROW - 1) / ROW;
}

/* Makes a datagram of the whole markers in the `count` rows read; sets how many rows it used. Returns its size; 0: the first row is no marker. */
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
		uint64_t there = ring->until - ring->taken;
		size_t count = there < ROWS_MOST ? (size_t)there : ROWS_MOST, used, size;

		*pid = ring->pid;
		if (count == 0 || ring->left < count) {
			rings->at++;
			continue;
		}
		if (ring->until - ring->taken > MARKER_RING_ROWS || !read_rows(rings, ring, count))
			return tell_dropped(ring, datagram);
		size = make_datagram(rings, ring, count, datagram, room, &used);
		if (size) {
			ring->taken += used;
			ring->left -= used;
			return size;
		}
		size = tell_dropped(ring, datagram); /* the ring is malformed */
		drop(rings, rings->at);
		return size;
	}
	return 0;
}
