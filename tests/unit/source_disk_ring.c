/* What is stored of a disk ring is a whole stream, with the records that give others their meaning, and never larger than it may be. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/disk_ring.h"
#include "stream/stream.h"

enum { TID = 7, TID_ENDED = 8, STACKS = 50, RECORDS = 60000, ASKED_AT = 20000, SLACK = 1 << 19 };

struct seen {
	struct stream *stream;
	uint64_t stacks[STACKS]; /* the last that was said of each */
	uint64_t count, first, last;
	bool named, titled; /* the thread TID */
	bool ended;	    /* something is said of a thread that has ended */
	unsigned traced;    /* records of a member */
	bool gone;	    /* by the last of these */
};

static int stack_seen(void *context, const struct record *record)
{
	struct seen *seen = context;
	const struct fields *fields = stream_fields(seen->stream, record);
	uint64_t id = 0, said = 0;

	assert(fields_unsigned(fields, "id", &id) > 0 && fields_unsigned(fields, "said", &said) > 0 && id < STACKS);
	seen->stacks[id] = said;
	return STREAM_DROP;
}

static int task_seen(void *context, const struct record *record)
{
	struct seen *seen = context;
	const struct fields *fields = stream_fields(seen->stream, record);
	int64_t tid = 0;

	assert(fields_integer(fields, "tid", &tid) > 0);
	seen->ended |= tid == TID_ENDED;
	if (fields_find(fields, "title")) {
		assert(seen->named);
		seen->titled = true;
	}
	seen->named |= fields_is(fields, "comm", "server");
	return STREAM_DROP;
}

static int traced_seen(void *context, const struct record *record)
{
	struct seen *seen = context;

	seen->traced++;
	seen->gone = fields_find(stream_fields(seen->stream, record), "gone");
	return STREAM_DROP;
}

static int event_seen(void *context, const struct record *record)
{
	struct seen *seen = context;
	uint64_t n = 0;

	assert(fields_unsigned(stream_fields(seen->stream, record), "n", &n) > 0);
	assert(!seen->count || n == seen->last + 1);
	seen->first = seen->count++ ? seen->first : n;
	seen->last = n;
	return STREAM_DROP;
}

static struct seen read_back(const char *path)
{
	char *files[] = {(char *)path};
	struct seen seen = {.stream = stream_open(files, 1)};
	struct handlers handlers = {.on = {[KIND_STACK] = stack_seen, [KIND_TASK] = task_seen, [KIND_TRACED] = traced_seen, [KIND_EVENT] = event_seen}};

	assert(seen.stream && stream_finish(seen.stream, &handlers, &seen) == 0);
	return seen;
}

static void write_task(struct stream *stream, int64_t tid, const char *key, const char *text)
{
	struct line line = {0};

	line_begin(&line, "task");
	line_integer(&line, "tid", tid);
	line_text(&line, key, text);
	assert(stream_write_line(stream, &line) == 0);
	line_free(&line);
}

/* A thread gets its name, and then a title; another one ends; a third becomes a member again and again, and ceases to be one. */
static void write_threads(struct stream *stream)
{
	struct line line = {0};

	write_task(stream, TID, "comm", "server");
	write_task(stream, TID, "title", "server: idle");
	write_task(stream, TID_ENDED, "comm", "brief");
	write_task(stream, TID_ENDED, "title", "brief: idle");
	write_task(stream, TID_ENDED, "ended", "yes");
	for (int n = 0; n < 100; n++) {
		line_begin(&line, "traced");
		line_text(&line, n % 2 ? "gone" : "tids", "9");
		assert(stream_write_line(stream, &line) == 0);
	}
	line_free(&line);
}

int main(void)
{
	char folder[] = "/tmp/disk_ring.XXXXXX", path[64], stored[80];
	struct stream *stream = stream_create();
	struct line line = {0};
	struct disk_ring *ring;
	struct stat status;
	struct seen seen;

	assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/ring.tb", folder);
	snprintf(stored, sizeof(stored), "%s.1", path);
	assert(!disk_ring_open("/no/such/ring.tb", DISK_RING_LEAST));
	ring = disk_ring_open(path, DISK_RING_LEAST);
	assert(ring);
	stream_output(stream, disk_ring_fd(ring), false);
	stream_output_to(stream, disk_ring_sink, ring);
	write_threads(stream);
	for (unsigned n = 0; n < RECORDS; n++) {
		/* Of the first half of the stacks something is said at the beginning only. */
		if (n < STACKS || n % 100 == 0) {
			line_begin(&line, "stack");
			line_unsigned(&line, "id", n < STACKS ? n : STACKS / 2 + n / 100 % (STACKS / 2));
			line_unsigned(&line, "said", n);
			assert(stream_write_line(stream, &line) == 0);
		}
		line_begin(&line, "event");
		line_unsigned(&line, "n", n);
		line_text(&line, "filler", "so that there are enough bytes to go round and round");
		assert(stream_write_line(stream, &line) == 0);
		if (n == ASKED_AT)
			disk_ring_ask();
		if (n % 1000 == 0) {
			assert(stream_flush(stream) == 0);
			assert(fstat(disk_ring_fd(ring), &status) == 0);
			/* While it is stored, nothing is given back; and the file system counts blocks of its own. */
			assert(n >= ASKED_AT || status.st_blocks * 512 <= DISK_RING_LEAST + (1 << 16));
			for (int i = 0; n == ASKED_AT + 2000 && access(stored, F_OK) < 0; i++)
				assert(i < 6000 && usleep(10000) == 0);
		}
	}
	assert(stream_close(stream) == 0 && access(path, F_OK) < 0);
	assert(disk_ring_close(ring) == 0);
	line_free(&line);

	seen = read_back(path);
	assert(seen.last == RECORDS - 1 && seen.first > RECORDS / 2 && stat(path, &status) == 0);
	assert(status.st_size > DISK_RING_LEAST - SLACK && status.st_size < DISK_RING_LEAST + SLACK);
	assert(seen.named && seen.titled && !seen.ended && seen.traced == 1 && seen.gone);
	for (unsigned id = 0; id < STACKS / 2; id++)
		assert(seen.stacks[id] == id);
	for (unsigned id = STACKS / 2; id < STACKS; id++)
		assert(seen.stacks[id] > RECORDS - 100 * STACKS);
	seen = read_back(stored);
	assert(seen.last == ASKED_AT && seen.first > 0 && seen.stacks[3] == 3);
	unlink(stored);
	unlink(path);
	rmdir(folder);
	return 0;
}
