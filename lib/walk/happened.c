#include "walk/happened.h"

#include <stdlib.h>

#include "walk/whole_words.h"

void happened_free(struct happened *happened)
{
	free(happened->words.items);
	free(happened->sequence.items);
	free(happened->results.items);
	free(happened->counters.items);
	free(happened->samples.items);
}

void happened_add(struct happened *happened, uint32_t word)
{
	size_t before = happened->sequence.count;

	if (before && happened->sequence.items[before - 1] == word)
		return;
	if (before < SEQUENCE_MOST)
		*ARRAY_ADD(&happened->sequence) = word;
	for (size_t i = happened->words.count; i-- > 0;)
		if (happened->words.items[i] == word)
			return;
	*ARRAY_ADD(&happened->words) = word;
}

void happened_return(struct happened *happened, uint32_t word)
{
	for (size_t i = happened->results.count; i-- > 0;)
		if (happened->results.items[i] == word)
			return;
	*ARRAY_ADD(&happened->results) = word;
}

void happened_count(struct whole_counts *counts, uint32_t word, uint64_t count)
{
	for (size_t i = 0; i < counts->count; i++)
		if (counts->items[i].word == word) {
			counts->items[i].count += count;
			return;
		}
	*ARRAY_ADD(counts) = (struct whole_count){.word = word, .count = count};
}

static void move_counts(struct whole_counts *from, struct whole_counts *to, uint32_t segment)
{
	for (size_t i = 0; i < from->count; i++) {
		from->items[i].segment = segment;
		*ARRAY_ADD(to) = from->items[i];
	}
	from->count = 0;
}

void happened_close(struct happened *happened, struct whole *whole, uint32_t number)
{
	struct segment *segment = &whole->segments.items[number];

	segment->sequence = whole_sequence(whole, happened->sequence.items, happened->sequence.count);
	segment->set = whole_set(whole, happened->words.items, happened->words.count);
	segment->results = whole_set(whole, happened->results.items, happened->results.count);
	move_counts(&happened->counters, &whole->counters, number);
	move_counts(&happened->samples, &whole->samples, number);
	happened->words.count = happened->sequence.count = happened->results.count = 0;
}
