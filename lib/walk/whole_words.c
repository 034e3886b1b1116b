#include "walk/whole_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 192 };

uint32_t whole_word(struct whole *whole, const char *text)
{
	return intern_number(&whole->words, text, strlen(text));
}

const char *whole_text(const struct whole *whole, uint32_t word)
{
	return intern_at(&whole->words, word, NULL);
}

uint32_t whole_word_of(struct whole *whole, const char *key, const char *name)
{
	char text[NAME_ROOM];
	int length = snprintf(text, sizeof(text), "%s%s", key, name);

	for (int i = 0; i < length && i < NAME_ROOM - 1; i++)
		if (text[i] == ';' || (unsigned char)text[i] < ' ')
			text[i] = '_';
	return whole_word(whole, text);
}

static int compare_words(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return one < other ? -1 : one > other;
}

/* Insertion sort, because most sets have a handful of words. */
static void sort_few(uint32_t *words, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t word = words[i];
		size_t at = i;

		for (; at > 0 && words[at - 1] > word; at--)
			words[at] = words[at - 1];
		words[at] = word;
	}
}

size_t whole_unique(uint32_t *words, size_t count)
{
	enum { FEW = 24 };
	size_t kept = 0;

	if (count <= FEW)
		sort_few(words, count);
	else
		qsort(words, count, sizeof(*words), compare_words);
	for (size_t i = 0; i < count; i++)
		if (!kept || words[kept - 1] != words[i])
			words[kept++] = words[i];
	return kept;
}

uint32_t whole_set(struct whole *whole, uint32_t *words, size_t count)
{
	size_t kept = whole_unique(words, count);

	return intern_number(&whole->sets, words, kept * sizeof(*words));
}

const uint32_t *whole_members(const struct whole *whole, uint32_t set, size_t *count)
{
	const uint32_t *words = intern_at(&whole->sets, set, count);

	*count /= sizeof(*words);
	return words;
}

static int compare_texts(const void *a, const void *b, void *whole)
{
	return strcmp(whole_text(whole, *(const uint32_t *)a), whole_text(whole, *(const uint32_t *)b));
}

uint32_t *whole_by_text(const struct whole *whole, uint32_t set, size_t *count)
{
	const uint32_t *words = whole_members(whole, set, count);
	uint32_t *sorted = memory_new(*count + 1, sizeof(*sorted));

	memcpy(sorted, words, *count * sizeof(*sorted));
	qsort_r(sorted, *count, sizeof(*sorted), compare_texts, (void *)whole);
	return sorted;
}

/* Each byte has seven bits of a number, low ones first; its top bit says that more follow. Most words have low numbers. */
enum { SPELLED_MOST = 5, BITS = 7, MORE = 1 << BITS };

uint32_t whole_sequence(struct whole *whole, const uint32_t *words, size_t count)
{
	unsigned char spelled[SEQUENCE_MOST * SPELLED_MOST];
	size_t length = 0;

	for (size_t i = 0; i < count && i < SEQUENCE_MOST; i++) {
		uint32_t rest = words[i];

		for (; rest >= MORE; rest >>= BITS)
			spelled[length++] = (unsigned char)(rest | MORE);
		spelled[length++] = (unsigned char)rest;
	}
	return intern_number(&whole->sequences, spelled, length);
}

size_t whole_sequence_at(const struct whole *whole, uint32_t sequence, uint32_t words[SEQUENCE_MOST])
{
	size_t length, count = 0;
	const unsigned char *spelled = intern_at(&whole->sequences, sequence, &length);
	unsigned shift = 0;

	words[0] = 0;
	for (size_t i = 0; i < length; i++) {
		words[count] |= (uint32_t)(spelled[i] & (MORE - 1)) << shift;
		shift += BITS;
		if (spelled[i] & MORE)
			continue;
		shift = 0;
		if (++count < SEQUENCE_MOST)
			words[count] = 0;
	}
	return count;
}

uint32_t whole_identity(struct whole *whole, struct wait_identity identity)
{
	return intern_number(&whole->identities, &identity, sizeof(identity));
}

struct wait_identity whole_identity_at(const struct whole *whole, uint32_t identity)
{
	return *(const struct wait_identity *)intern_at(&whole->identities, identity, NULL);
}

void whole_kind(struct whole *whole, uint32_t identity, uint32_t kind)
{
	if (!kind)
		return;
	while (whole->kinds.count <= identity)
		*ARRAY_ADD(&whole->kinds) = 0;
	whole->kinds.items[identity] = kind;
}

uint32_t whole_kind_of(const struct whole *whole, uint32_t identity)
{
	return identity < whole->kinds.count ? whole->kinds.items[identity] : 0;
}
