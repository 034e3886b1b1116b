#include "walk/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SLOTS_FIRST = 64, ALIGNMENT = 4 };

static uint32_t *slot_of(const struct intern *intern, uint32_t hash, const void *bytes, size_t length)
{
	size_t mask = intern->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &intern->slots[i];
		const struct interned *piece = *slot ? &intern->pieces.items[*slot - 1] : NULL;

		if (!piece || (piece->hash == hash && piece->length == length && (!length || !memcmp(intern->pool + piece->at, bytes, length))))
			return slot;
	}
}

static void grow_slots(struct intern *intern)
{
	size_t mask;

	intern->slot_count = intern->slot_count ? 2 * intern->slot_count : SLOTS_FIRST;
	mask = intern->slot_count - 1;
	free(intern->slots);
	intern->slots = memory_new(intern->slot_count, sizeof(*intern->slots));
	for (size_t number = 0; number < intern->pieces.count; number++) {
		size_t i = intern->pieces.items[number].hash & mask;

		while (intern->slots[i])
			i = (i + 1) & mask;
		intern->slots[i] = (uint32_t)number + 1;
	}
}

static size_t keep(struct intern *intern, const void *bytes, size_t length)
{
	size_t at = (intern->used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1), end = at + length + 1;

	if (end > intern->room) {
		intern->room = end > 2 * intern->room ? 2 * end : 2 * intern->room;
		intern->pool = memory_grow(intern->pool, intern->room, 1);
	}
	if (length)
		memcpy(intern->pool + at, bytes, length);
	intern->pool[at + length] = '\0';
	intern->used = end;
	return at;
}

uint32_t intern_number(struct intern *intern, const void *bytes, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(bytes, length), *slot;

	if (2 * intern->pieces.count >= intern->slot_count)
		grow_slots(intern);
	slot = slot_of(intern, hash, bytes, length);
	if (!*slot) {
		*ARRAY_ADD(&intern->pieces) =
			(struct interned){.at = keep(intern, bytes, length), .length = (uint32_t)length, .hash = hash};
		*slot = (uint32_t)intern->pieces.count;
	}
	return *slot - 1;
}

const void *intern_at(const struct intern *intern, uint32_t number, size_t *length)
{
	const struct interned *piece = &intern->pieces.items[number];

	if (length)
		*length = piece->length;
	return intern->pool + piece->at;
}

void intern_free(struct intern *intern)
{
	free(intern->pieces.items);
	free(intern->pool);
	free(intern->slots);
	*intern = (struct intern){0};
}
