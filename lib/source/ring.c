#include "source/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kbuffer.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

static size_t page_size(struct tracefs_instance *instance)
{
	long long kilobytes;

	if (tracefs_instance_file_read_number(instance, "buffer_subbuf_size_kb", &kilobytes) == 0)
		return (size_t)kilobytes * 1024;
	return (size_t)getpagesize();
}

static int open_file(struct tracefs_instance *instance, int cpu, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/%s", cpu, name);
	fd = tracefs_instance_file_open(instance, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fail_errno("cannot open '%s/%s'", tracefs_instance_get_trace_dir(instance), path);
	return fd;
}

int ring_open(struct ring *ring, struct tracefs_instance *instance, int cpu)
{
	*ring = (struct ring){.cpu = cpu, .last = INT64_MIN, .stats = -1};
	ring->page_size = page_size(instance);
	ring->page = memory_new(1, ring->page_size);
	ring->pages = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	ring->fd = open_file(instance, cpu, "trace_pipe_raw");
	if (ring->fd >= 0)
		ring->stats = open_file(instance, cpu, "stats");
	return ring->stats < 0 ? -1 : 0;
}

void ring_close(struct ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	if (ring->stats >= 0)
		close(ring->stats);
	kbuffer_free(ring->pages);
	free(ring->page);
}

/* One line of the stats file, such as "overrun: 18". */
static uint64_t stat_value(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

uint64_t ring_lost_at_end(struct ring *ring)
{
	char text[1024];
	ssize_t length = pread(ring->stats, text, sizeof(text) - 1, 0);
	uint64_t lost;

	if (length <= 0)
		return 0;
	text[length] = '\0';
	lost = stat_value(text, "\noverrun: ") + stat_value(text, "\ncommit overrun: ") +
	       stat_value(text, "\ndropped events: ");
	return lost > ring->lost ? lost - ring->lost : 0;
}

/* Older kernels, or a page too full to hold the count, say only that there was a gap. */
static uint64_t count_missed(struct ring *ring)
{
	int missed = kbuffer_missed_events(ring->pages);
	uint64_t count;

	if (missed >= 0)
		return (uint64_t)missed;
	count = ring_lost_at_end(ring);
	return count ? count : 1;
}

static int read_page(struct ring *ring)
{
	ssize_t length = read(ring->fd, ring->page, ring->page_size);
	uint64_t missed;

	if (length == 0 || (length < 0 && (errno == EAGAIN || errno == EINTR)))
		return 0;
	if (length < 0)
		return fail_errno("cannot read the trace of CPU %d", ring->cpu);
	if (kbuffer_load_subbuffer(ring->pages, ring->page) < 0)
		return fail("cannot understand the trace of CPU %d", ring->cpu);
	missed = count_missed(ring);
	ring->missed += missed;
	ring->lost += missed;
	return 1;
}

static int stand_at(struct ring *ring, const void *payload, unsigned long long ts)
{
	ring->payload = payload;
	ring->ts = (int64_t)ts;
	ring->size = (uint32_t)kbuffer_event_size(ring->pages);
	return 1;
}

int ring_next(struct ring *ring)
{
	unsigned long long ts;
	const void *payload;
	int status;

	if (ring->payload) {
		ring->missed = 0;
		ring->last = ring->ts;
		payload = kbuffer_next_event(ring->pages, &ts);
		if (payload)
			return stand_at(ring, payload, ts);
		ring->payload = NULL;
	}
	while ((status = read_page(ring)) > 0) {
		payload = kbuffer_read_event(ring->pages, &ts);
		if (payload)
			return stand_at(ring, payload, ts);
	}
	return status;
}
