#include "state/value.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"

enum { IDLE_MAX = 1 << 16 };

struct state_text {
	UT_hash_handle hh;
	uint32_t references;
	uint32_t length;
	int64_t number;
	char bytes[];
};

struct state_texts {
	struct state_text *known;
	size_t idle; /* texts without a reference */
};

struct state_texts *state_texts_new(void)
{
	return NEW(struct state_texts);
}

static void forget(struct state_texts *texts, struct state_text *text)
{
	HASH_DEL(texts->known, text);
	free(text);
}

void state_texts_free(struct state_texts *texts)
{
	struct state_text *text, *next;

	if (!texts)
		return;
	HASH_ITER (hh, texts->known, text, next)
		forget(texts, text);
	free(texts);
}

static void forget_idle(struct state_texts *texts)
{
	struct state_text *text, *next;

	HASH_ITER (hh, texts->known, text, next)
		if (text->references == 0)
			forget(texts, text);
	texts->idle = 0;
}

/* Like number_integer(), but accepts only the canonical spelling of a number. */
static bool spells_number(const char *text, size_t length, int64_t *number)
{
	bool negative = length > 0 && *text == '-';
	size_t digits = length - negative;
	uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;

	if (digits == 0 || digits > 19 || (text[negative] == '0' && length > 1))
		return false;
	for (size_t i = negative; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = 10 * value + (uint64_t)(text[i] - '0');
	}
	*number = (int64_t)(negative ? -value : value);
	return value <= most;
}

/* The length of the longest prefix of up to STATE_TEXT_MAX bytes that ends between characters (UTF-8). */
static size_t cut(const char *text, size_t length)
{
	size_t end = STATE_TEXT_MAX;

	if (length <= STATE_TEXT_MAX)
		return length;
	while (end > STATE_TEXT_MAX - 3 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return ((unsigned char)text[end] & 0xc0) == 0x80 ? STATE_TEXT_MAX : end;
}

static struct state_text *get(struct state_texts *texts, const char *bytes, size_t length)
{
	struct state_text *text;

	HASH_FIND(hh, texts->known, bytes, length, text);
	if (text) {
		texts->idle -= text->references == 0;
		text->references++;
		return text;
	}
	text = memory_new(1, sizeof(*text) + length + 1);
	text->references = 1;
	text->length = (uint32_t)length;
	memcpy(text->bytes, bytes, length);
	HASH_ADD_KEYPTR(hh, texts->known, text->bytes, length, text);
	return text;
}

struct state_value state_value_number(int64_t number)
{
	return (struct state_value){.kind = STATE_NUMBER, .number = number};
}

struct state_value state_value_read(struct state_texts *texts, const char *text, size_t length)
{
	int64_t number;

	if (spells_number(text, length, &number))
		return state_value_number(number);
	return (struct state_value){.kind = STATE_TEXT, .text = get(texts, text, cut(text, length))};
}

struct state_value state_value_share(struct state_value value)
{
	if (value.kind == STATE_TEXT)
		value.text->references++;
	return value;
}

void state_value_drop(struct state_texts *texts, struct state_value *value)
{
	if (value->kind == STATE_TEXT && --value->text->references == 0 && ++texts->idle > IDLE_MAX)
		forget_idle(texts);
	*value = (struct state_value){0};
}

bool state_value_equal(struct state_value a, struct state_value b)
{
	return a.kind == b.kind && (a.kind == STATE_NULL || (a.kind == STATE_NUMBER ? a.number == b.number : a.text == b.text));
}

const char *state_value_spell(struct state_value value, char room[STATE_VALUE_ROOM], size_t *length)
{
	if (value.kind == STATE_TEXT) {
		*length = value.text->length;
		return value.text->bytes;
	}
	*room = '\0';
	*length = value.kind == STATE_NUMBER ? number_spell_integer(room, value.number) : 0;
	return room;
}

int64_t *state_text_number(struct state_text *text)
{
	return &text->number;
}
