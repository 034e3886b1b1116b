#include "walk/segment_contents.h"

#include <stdlib.h>

#include "walk/whole_words.h"

void segment_contents_add(struct segment_contents *contents, uint32_t word)
{
	size_t before = contents->sequence.count;

	if (before && contents->sequence.items[before - 1] == word)
		return;
	if (before < SEQUENCE_MOST)
		*ARRAY_ADD(&contents->sequence) = word;
	for (size_t i = contents->words.count; i-- > 0;)
		if (contents->words.items[i] == word)
			return;
	*ARRAY_ADD(&contents->words) = word;
}

void segment_contents_return(struct segment_contents *contents, uint32_t word)
{
	for (size_t i = contents->results.count; i-- > 0;)
		if (contents->results.items[i] == word)
			return;
	*ARRAY_ADD(&contents->results) = word;
}

void segment_contents_count(struct whole_counts *counts, uint32_t word, uint64_t count)
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

void segment_contents_close(struct segment_contents *contents, struct whole *whole, uint32_t number)
{
	struct segment *segment = &whole->segments.items[number];

	segment->sequence = whole_sequence(whole, contents->sequence.items, contents->sequence.count);
	segment->set = whole_set(whole, contents->words.items, contents->words.count);
	segment->results = whole_set(whole, contents->results.items, contents->results.count);
	move_counts(&contents->counters, &whole->counters, number);
	move_counts(&contents->samples, &whole->samples, number);
	contents->words.count = contents->sequence.count = contents->results.count = 0;
}

void segment_contents_free(struct segment_contents *contents)
{
	free(contents->words.items);
	free(contents->sequence.items);
	free(contents->results.items);
	free(contents->counters.items);
	free(contents->samples.items);
}
