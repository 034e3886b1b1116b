#include "stream/guess.h"

#include "stream/fields.h"

/* Where a kind's records differ from each other, learning each time would cost more than it saves. */
enum { MISSES_TO_LEARN = 4 };

static struct guessed_key key_of(const struct field *field)
{
	struct guessed_key key = {0};
	unsigned char text[GUESS_KEY] = {0}, mask[GUESS_KEY] = {0};

	if (field->key_length >= GUESS_KEY)
		return key;
	memcpy(text, field->key, field->key_length);
	text[field->key_length] = '=';
	memset(mask, 0xff, field->key_length + 1);
	memcpy(key.word, text, sizeof(text));
	memcpy(key.mask, mask, sizeof(mask));
	key.length = field->key_length;
	return key;
}

void guess_learn(struct guess *guess, const struct fields *fields)
{
	static uint32_t numbers;

	if (guess->number && ++guess->misses % MISSES_TO_LEARN != 0)
		return;
	guess->number = ++numbers ? numbers : ++numbers;
	guess->count = fields->count < GUESS_MAX ? fields->count : GUESS_MAX;
	for (int i = 0; i < guess->count; i++)
		guess->key[i] = key_of(&fields->item[i]);
}
