/*
 * The kernel's ring, read and mapped: numbered markers come once each and in order, while they are written; and where
 * the ring is too small, the gaps are as large as they say, and seen by a merge before it hands out what is behind. Needs root and tracefs, else it has nothing to say.
 */
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/merge.h"

enum { MARKERS = 30000, TEXT_AT = 16 }; /* of ftrace:print: common fields, then an address */

static int marker;

static void mark(int from, int to)
{
	char text[16];

	for (int i = from; i < to; i++) {
		int length = snprintf(text, sizeof(text), "%d", i);

		assert(write(marker, text, (size_t)length) == length);
	}
}

/* Reads what is there; returns the number that comes next. */
static int take(struct ring *ring, int expected)
{
	int64_t last = INT64_MIN;

	while (ring_next(ring) > 0) {
		expected += (int)ring->missed;
		assert(atoi(ring->page.payload + TEXT_AT) == expected);
		assert(ring_ts(ring) >= last);
		last = ring_ts(ring);
		expected++;
	}
	return expected;
}

static void numbered(struct tracefs_instance *instance, bool mapped)
{
	int step = 1, from = 0, expected = 0;
	struct ring ring;

	assert(tracefs_instance_file_write(instance, "trace", "") >= 0);
	assert(ring_open(&ring, instance, 0) == 0);
	if (mapped && !ring_map(&ring)) {
		printf("this kernel does not map rings\n");
		ring_close(&ring);
		return;
	}
	assert(ring_next(&ring) == 0);
	for (; from < MARKERS; from += step, step = step * 7 % 997) {
		mark(from, from + step);
		expected = take(&ring, expected);
		assert(expected == from + step);
	}
	assert(ring.lost == 0);
	mark(from, from + MARKERS); /* more than it holds */
	expected = take(&ring, expected);
	assert(expected == from + MARKERS && ring.lost > 0);
	assert(ring_next(&ring) == 0 && ring_lost_at_end(&ring) == 0);
	ring_close(&ring);
}

/* What lies before an event behind a gap is not whole, from the last event before the gap on. */
static void gapped(struct tracefs_instance *instance)
{
	struct merge merge = {0};
	struct ring ring, *next;
	int gaps = 0;

	assert(tracefs_instance_file_write(instance, "trace", "") >= 0);
	assert(ring_open(&ring, instance, 0) == 0);
	merge_add(&merge, &ring);
	mark(0, 1);
	assert(merge_begin(&merge, INT64_MAX) == 0 && merge_next(&merge, &next) == 1);
	mark(1, MARKERS);
	while (merge_next(&merge, &next) > 0) {
		assert(merge_hides_gap(&merge, ring_ts(next)) == (next->missed > 0));
		assert(!next->missed || !merge_hides_gap(&merge, next->last));
		gaps += next->missed > 0;
	}
	assert(gaps == 1 && !merge_hides_gap(&merge, INT64_MAX));
	merge_close(&merge);
}

int main(void)
{
	struct tracefs_instance *instance;
	cpu_set_t first;
	char name[64];

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	snprintf(name, sizeof(name), "tailblame-test.%d", getpid());
	if (geteuid() != 0 || !(instance = tracefs_instance_create(name))) {
		printf("needs root and tracefs\n");
		return 77; /* skipped */
	}
	assert(sched_setaffinity(0, sizeof(first), &first) == 0);
	assert(tracefs_instance_file_write(instance, "buffer_size_kb", "128") > 0);
	marker = tracefs_instance_file_open(instance, "trace_marker", O_WRONLY);
	assert(marker >= 0);
	numbered(instance, false);
	numbered(instance, true);
	gapped(instance);
	close(marker);
	assert(tracefs_instance_destroy(instance) == 0);
	tracefs_instance_free(instance);
	return 0;
}
