#include "source/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/memory.h"

int merge_open(struct merge *merge, struct tracefs_instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	size_t room = (size_t)(merge->count + cpus);

	merge->rings = memory_grow(merge->rings, room, sizeof(struct ring));
	merge->heap = memory_grow(merge->heap, room, sizeof(struct merge_place));
	for (int cpu = 0; cpu < cpus; cpu++) {
		char dir[32];

		snprintf(dir, sizeof(dir), "per_cpu/cpu%d", cpu);
		if (!tracefs_dir_exists(instance, dir))
			continue; /* the numbers of CPUs may have holes */
		if (ring_open(&merge->rings[merge->count++], instance, cpu) < 0)
			return -1;
		ring_map(&merge->rings[merge->count - 1]);
	}
	return 0;
}

void merge_add(struct merge *merge, const struct ring *ring)
{
	size_t room = (size_t)merge->count + 1;

	merge->rings = memory_grow(merge->rings, room, sizeof(struct ring));
	merge->heap = memory_grow(merge->heap, room, sizeof(struct merge_place));
	merge->rings[merge->count++] = *ring;
}

void merge_part(struct merge *merge, int first, struct merge *other)
{
	size_t count = (size_t)(merge->count - first);

	*other = (struct merge){.rings = memory_new(count, sizeof(struct ring)),
				.heap = memory_new(count, sizeof(struct merge_place)),
				.count = (int)count};
	memcpy(other->rings, merge->rings + first, count * sizeof(struct ring));
	merge->count = first;
}

void merge_close(struct merge *merge)
{
	for (int i = 0; i < merge->count; i++)
		ring_close(&merge->rings[i]);
	free(merge->rings);
	free(merge->heap);
	*merge = (struct merge){0};
}

uint64_t merge_traced(const struct merge *merge)
{
	uint64_t traced = 0;

	for (int i = 0; i < merge->count; i++)
		traced += ring_traced(&merge->rings[i]);
	return traced;
}

bool merge_hides_gap(const struct merge *merge, int64_t ts)
{
	for (int i = 0; i < merge->count; i++)
		if (merge->rings[i].standing && merge->rings[i].missed && merge->rings[i].last < ts)
			return true;
	return false;
}

const struct ring *merge_next_gap(struct merge *merge)
{
	for (int i = 0; i < merge->count && merge->new_gap; i++) {
		struct ring *ring = &merge->rings[i];

		if (ring->standing && ring->missed && !ring->announced) {
			ring->announced = true;
			return ring;
		}
	}
	merge->new_gap = false;
	return NULL;
}

/* As ring_next(); notes whether there is a new gap. */
static int step(struct merge *merge, struct ring *ring)
{
	int status = ring_next(ring);

	merge->new_gap |= status > 0 && ring->missed;
	return status;
}

static bool is_before(const struct merge_place *one, const struct merge_place *other)
{
	return one->ts < other->ts || (one->ts == other->ts && one->ring < other->ring);
}

int merge_begin(struct merge *merge, int64_t bound)
{
	merge->bound = bound;
	merge->heaped = 0;
	merge->taken = false;
	for (int i = 0; i < merge->count; i++) {
		struct ring *ring = &merge->rings[i];

		if (!ring->standing && step(merge, ring) < 0)
			return -1;
		if (ring->standing)
			merge->heap[merge->heaped++] = (struct merge_place){ring_ts(ring), ring};
	}
	for (int at = merge->heaped / 2 - 1; at >= 0; at--)
		HEAP_SINK(merge->heap, (size_t)merge->heaped, (size_t)at, is_before);
	return 0;
}

int merge_next(struct merge *merge, struct ring **ring)
{
	struct merge_place *first = merge->heap;

	if (merge->taken) {
		int status = step(merge, first->ring);

		merge->taken = false;
		if (status < 0)
			return -1;
		if (status == 0)
			*first = merge->heap[--merge->heaped];
		else
			first->ts = ring_ts(first->ring);
		if (merge->heaped > 1)
			HEAP_SINK(merge->heap, (size_t)merge->heaped, 0, is_before);
	}
	if (merge->heaped == 0 || first->ts >= merge->bound)
		return 0;
	*ring = first->ring;
	merge->taken = true;
	return 1;
}
