/*
 * Rings of markers: what is put in comes out once and in order, also over the ring's end; what was overwritten, or is none, is counted; files that
 * others serve, and more than one process may have, are refused. And nobody can hold up who reads them.
 */
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/marker_rings.h"
#include "source/markers.h"

enum { NUMBERS = 5, ROW = NUMBERS * sizeof(double), ROOM = 1 << 16 };

struct writer {
	int fd;
	uint64_t rows;
};

static void put_row(const struct writer *writer, uint64_t row, const double numbers[NUMBERS])
{
	assert(pwrite(writer->fd, numbers, ROW, (off_t)(1 + row % MARKER_RING_ROWS) * ROW) == ROW);
}

static void tell(const struct writer *writer)
{
	const double head[NUMBERS] = {MARKERS_MAGIC, (double)writer->rows, 8, 7, 0};

	assert(pwrite(writer->fd, head, ROW, 0) == ROW);
}

/* A marker of this id, with a text of a letter. */
static void put(struct writer *writer, uint64_t id, size_t length)
{
	const double marker[NUMBERS] = {(double)id, 1 + 256.0 * (double)length, (double)id, 0, 0}, none[NUMBERS] = {0};
	size_t behind = (length + ROW - 1) / ROW;
	char text[1024];

	for (; writer->rows % MARKER_RING_ROWS + 1 + behind > MARKER_RING_ROWS; writer->rows++)
		put_row(writer, writer->rows, none);
	memset(text, 'a' + (int)(id % 26), sizeof(text));
	put_row(writer, writer->rows, marker);
	assert(pwrite(writer->fd, text, length, (off_t)(2 + writer->rows % MARKER_RING_ROWS) * ROW) == (ssize_t)length);
	writer->rows += 1 + behind;
}

static struct writer make(void)
{
	struct writer writer = {.fd = memfd_create("ring", 0)};

	assert(writer.fd >= 0 && ftruncate(writer.fd, (MARKER_RING_ROWS + 1) * ROW) == 0);
	tell(&writer);
	return writer;
}

static bool add(struct marker_rings *rings, pid_t process, int fd)
{
	return marker_rings_add(rings, process, getuid(), fd);
}

static struct writer begin(struct marker_rings *rings)
{
	struct writer writer = make();
	double opened = 0;

	assert(add(rings, getpid(), writer.fd));
	assert(pread(writer.fd, &opened, sizeof(opened), 4 * sizeof(double)) == sizeof(opened) && opened == 1);
	return writer;
}

/* Takes what is there: ids follow each other from *next on. Returns how many were dropped. */
static uint64_t take(struct marker_rings *rings, uint64_t *next)
{
	static char datagram[ROOM];
	uint64_t dropped = 0;
	int32_t pid;
	size_t size;

	marker_rings_look(rings, false);
	while ((size = marker_rings_next(rings, datagram, sizeof(datagram), &pid))) {
		double head[NUMBERS], row[NUMBERS];
		const char *text;

		assert(pid > 0 && size >= ROW);
		memcpy(head, datagram, ROW);
		assert(head[0] == MARKERS_MAGIC && head[2] == 8 && head[3] == 7);
		text = datagram + ROW * (size_t)(head[1] + 1);
		for (size_t i = 1; i <= (size_t)head[1]; i++) {
			size_t length;

			memcpy(row, datagram + ROW * i, ROW);
			length = (size_t)row[1] / 256;
			assert((uint64_t)row[2] == *next);
			for (size_t c = 0; c < length; c++)
				assert(text[c] == 'a' + (int)(*next % 26));
			text += length;
			++*next;
		}
		assert(text == datagram + size);
		dropped += (uint64_t)head[4];
	}
	return dropped;
}

static void in_order(void)
{
	struct marker_rings *rings = marker_rings_new();
	struct writer writer = begin(rings);
	uint64_t put_so_far = 1, next = 1;

	srand(1);
	for (int round = 0; round < 400; round++) {
		for (int i = rand() % 2000; i > 0; i--)
			put(&writer, put_so_far++, rand() % 4 ? 0 : (size_t)rand() % 201);
		tell(&writer);
		assert(take(rings, &next) == 0 && next == put_so_far);
	}
	assert(writer.rows > 4 * MARKER_RING_ROWS);
	/* More than it holds. */
	for (int i = 0; i <= MARKER_RING_ROWS; i++)
		put(&writer, put_so_far++, 0);
	tell(&writer);
	assert(take(rings, &next) > MARKER_RING_ROWS);
	next = put_so_far;
	put(&writer, put_so_far++, 5);
	tell(&writer);
	assert(take(rings, &next) == 0 && next == put_so_far);
	close(writer.fd);
	marker_rings_free(rings);
}

static void hostile(void)
{
	struct marker_rings *rings = marker_rings_new();
	const double texts[] = {-1, 1e300, 256.0 * 1001, 1 + 256.0 * 900, 0.0 / 0.0};
	uint64_t next = 1;
	int ends[2], count = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct writer writer = begin(rings);
		const double marker[NUMBERS] = {1, texts[i], 1, 0, 0};

		put_row(&writer, writer.rows++, marker);
		tell(&writer);
		assert(take(rings, &next) == 1);
		put(&writer, 1, 0);
		tell(&writer);
		assert(take(rings, &next) == 0 && next == 1); /* nobody reads it any more */
		close(writer.fd);
	}
	for (int i = 0; i < 3; i++) { /* cut; going back; of no number */
		struct writer writer = begin(rings);
		const double head[NUMBERS] = {MARKERS_MAGIC, i == 1 ? 1e18 : 0.5, 8, 7, 0};

		if (i == 0)
			assert(ftruncate(writer.fd, 10) == 0);
		else
			assert(pwrite(writer.fd, head, ROW, 0) == ROW);
		assert(take(rings, &next) == 0);
		close(writer.fd);
	}
	assert(pipe(ends) == 0 && !add(rings, getpid(), ends[0]) && !add(rings, getpid(), open("/proc/self/exe", O_RDONLY)) && !add(rings, getpid(), 100) &&
	       !add(rings, -1, 0));
	while (count < 1000) {
		int fd = memfd_create("ring", 0);
		const double head[NUMBERS] = {MARKERS_MAGIC, 0, 8, 7, 0};

		assert(pwrite(fd, head, ROW, 0) == ROW);
		if (!add(rings, getpid(), fd))
			break;
		count++;
	}
	assert(count > 0 && count < 1000);
	marker_rings_free(rings);
}

/* What others of its descriptors put into the ring of a process that has ended is not its word: another may have its number by now. */
static void ended(void)
{
	struct marker_rings *rings = marker_rings_new();
	struct writer writer = make();
	uint64_t next = 1;
	pid_t child;
	int ends[2];

	assert(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		close(ends[1]);
		_exit((int)read(ends[0], ends, 1));
	}
	assert(child > 0 && add(rings, child, writer.fd));
	put(&writer, 1, 0);
	tell(&writer);
	close(ends[0]);
	close(ends[1]);
	assert(waitpid(child, NULL, 0) == child);
	assert(take(rings, &next) == 0 && next == 2);
	put(&writer, 2, 0);
	tell(&writer);
	assert(take(rings, &next) == 0 && next == 2);
	close(writer.fd);
	marker_rings_free(rings);
}

/* Rows of nothing are not read without end. */
static void nothing(void)
{
	static char datagram[ROOM];
	struct marker_rings *rings = marker_rings_new();
	int count = 0, datagrams = 0;
	int32_t pid;

	for (; count < 100; count++) {
		struct writer writer = make();

		writer.rows = MARKER_RING_ROWS;
		tell(&writer);
		if (!add(rings, getpid(), writer.fd))
			break;
	}
	marker_rings_look(rings, false);
	while (marker_rings_next(rings, datagram, sizeof(datagram), &pid))
		datagrams++;
	assert(count > 1 && datagrams > 0 && datagrams < count * MARKER_RING_ROWS / 2000);
	marker_rings_free(rings);
}

struct blocked {
	int fd;
	char *page; /* which nobody provides */
};

static void *write_page(void *context)
{
	const struct blocked *blocked = context;

	return pwrite(blocked->fd, blocked->page, 1, ROW) == 1 ? context : NULL;
}

/* A lease is not waited for, and neither is a writer who waits for memory, as of a FUSE. */
static void held_up(void)
{
	struct marker_rings *rings = marker_rings_new();
	struct blocked blocked = {.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
	struct uffdio_register page = {.range = {(uintptr_t)blocked.page, 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_api api = {.api = UFFD_API};
	struct writer writer = make();
	char path[32];
	pthread_t thread;
	int faults, leased;

	alarm(20);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", writer.fd);
	leased = open(path, O_RDWR);
	signal(SIGIO, SIG_IGN);
	if (fcntl(leased, F_SETLEASE, F_WRLCK) == 0)
		assert(!add(rings, getpid(), writer.fd));
	assert(leased >= 0 && fcntl(leased, F_SETLEASE, F_UNLCK) == 0);
	close(leased);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 && ioctl(faults, UFFDIO_REGISTER, &page) == 0) {
		struct uffd_msg fault;

		blocked.fd = writer.fd;
		assert(pthread_create(&thread, NULL, write_page, &blocked) == 0);
		assert(read(faults, &fault, sizeof(fault)) == sizeof(fault)); /* it waits */
		assert(add(rings, getpid(), writer.fd));
		close(faults);
		pthread_join(thread, NULL);
	}
	alarm(0);
	close(writer.fd);
	marker_rings_free(rings);
}

int main(void)
{
	in_order();
	hostile();
	ended();
	nothing();
	held_up();
	return 0;
}
