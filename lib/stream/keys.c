#include "stream/keys.h"

enum { UNKNOWN = 254, NONE = 255 };

static uint8_t search(const struct keys *keys, const struct field *field)
{
	for (int i = 0; i < keys->count; i++)
		if (!strncmp(keys->names[i], field->key, field->key_length) && !keys->names[i][field->key_length])
			return (uint8_t)i;
	return NONE;
}

static uint8_t name_of(struct keys *keys, const struct field *field)
{
	if (field->place == GUESS_NOWHERE)
		return search(keys, field);
	if (keys->at[field->place] == UNKNOWN)
		keys->at[field->place] = search(keys, field);
	return keys->at[field->place];
}

void keys_find(struct keys *keys, const struct fields *fields, const struct field *found[])
{
	memset(found, 0, (size_t)keys->count * sizeof(*found));
	if (keys->guess != fields->guess) {
		keys->guess = fields->guess;
		memset(keys->at, UNKNOWN, sizeof(keys->at));
	}
	for (int i = 0; i < fields->count; i++) {
		uint8_t name = name_of(keys, &fields->item[i]);

		if (name != NONE && !found[name])
			found[name] = &fields->item[i];
	}
}
