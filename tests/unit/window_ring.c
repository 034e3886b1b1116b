/* The ring against a plain queue, with random pushes and drops. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window/ring.h"

enum { LENGTH_MAX = 5000, ROUNDS = 400000 };

static char text[LENGTH_MAX];

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A record whose length and content follow from its number. */
static struct record numbered(int64_t number)
{
	struct record record = {.kind = number % 7 ? KIND_EVENT : KIND_LOST, .packed = number % 2, .ts = number, .text = text};

	record.length = (uint64_t)number * 2654435761u % (number % 100 ? 100 : LENGTH_MAX);
	record.cpu = (uint32_t)number;
	memset(text, (int)(number % 251), record.length);
	return record;
}

static void assert_oldest(const struct context_ring *ring, int64_t number)
{
	struct record expected = numbered(number), record;

	ring_oldest(ring, &record);
	assert(ring_oldest_time(ring) == number && record.ts == number);
	assert(record.kind == expected.kind && record.packed == expected.packed && record.cpu == expected.cpu);
	assert(record.length == expected.length && !memcmp(record.text, expected.text, expected.length));
}

static void against_queue(size_t bytes)
{
	struct context_ring *ring = ring_new(bytes);
	int64_t oldest = 0, newest = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct record record = numbered(newest);
		int drops = next_random() % 1000 ? (int)(next_random() % 3) : 100000;

		while (!ring_has_room(ring, record.length)) {
			assert_oldest(ring, oldest++);
			ring_drop(ring);
		}
		record = numbered(newest);
		ring_push(ring, &record, newest++);
		for (; drops > 0 && !ring_is_empty(ring) && i % 5 == 0; drops--) {
			assert_oldest(ring, oldest++);
			ring_drop(ring);
		}
		assert(ring_is_empty(ring) == (oldest == newest));
	}
	for (; !ring_is_empty(ring); ring_drop(ring))
		assert_oldest(ring, oldest++);
	assert(oldest == newest);
	ring_free(ring);
}

/* What it holds is its size but for a little. */
static void is_used(void)
{
	struct context_ring *ring = ring_new(4 << 20);
	struct record record = {.kind = KIND_EVENT, .text = text, .length = 104};
	size_t held = 0;

	while (ring_has_room(ring, record.length)) {
		ring_push(ring, &record, 0);
		held += 128;
	}
	assert(held <= 4 << 20 && held > (4 << 20) - 4096);
	assert(!ring_has_room(ring, 8 << 20));
	ring_free(ring);
}

/* How far back some bytes reach, at every bound, in a ring that has wrapped. */
static void reaches(void)
{
	struct context_ring *ring = ring_new(RING_LEAST);
	struct record record = {.kind = KIND_EVENT, .text = text, .length = 100};
	int64_t oldest = 0, newest = 0;

	for (; newest < 3000; ring_push(ring, &record, newest++))
		for (; !ring_has_room(ring, record.length); oldest++)
			ring_drop(ring);
	assert(oldest > 0);
	for (int64_t to = oldest - 1; to <= newest; to++)
		for (uint64_t count = 0; count < 5; count++) {
			int64_t last = to < newest ? to : newest - 1, from = ring_reach(ring, to, 100 * count + 99);

			assert(from == (last + 1 - (int64_t)count > oldest ? last + 1 - (int64_t)count : oldest) ||
			       (count == 0 && from == to + 1));
		}
	assert(ring_reach(ring, newest, UINT64_MAX) == oldest);
	ring_free(ring);
}

int main(void)
{
	against_queue(0);
	against_queue(3 << 20);
	against_queue(64 << 20);
	is_used();
	reaches();
	return 0;
}
