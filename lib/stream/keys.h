/*
 * keys: finds many keys of a record at once, for readers of many records of a kind. fields_find() searches all fields for each key.
 *
 *	enum { ID, START, COUNT };
 *	static const char *const names[COUNT] = {[ID] = "id", [START] = "start"};
 *	struct keys keys = {names, COUNT};
 *	const struct field *found[COUNT];
 *	keys_find(&keys, fields, found);
 *	field_time(found[START], &start);
 */
#ifndef STREAM_KEYS_H
#define STREAM_KEYS_H

#include "stream/fields.h"
#include "stream/guess.h"

struct keys {
	const char *const *names;
	int count; /* at most 254 */
	/* private: at[i] is the index in `names` of the i-th key of the guess with number `guess` */
	uint32_t guess;
	uint8_t at[GUESS_MAX];
};

/* The field with each name, the first if there are several; NULL: none. */
void keys_find(struct keys *keys, const struct fields *fields, const struct field *found[]);

#endif
