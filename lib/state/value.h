/*
 * value: what an attribute can be: nothing (null), a 64-bit integer, or a text of up to STATE_TEXT_MAX bytes.
 *
 * A text that spells a decimal 64-bit integer is one, wherever it came from, because a text stream knows no types: -?[1-9][0-9]* or 0. An
 * empty text is not null. Equal texts are the same object, which the pool counts references of; it forgets idle ones when there are
 * many.
 */
#ifndef STATE_VALUE_H
#define STATE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATE_TEXT_MAX = 255 };

enum state_kind { STATE_NULL, STATE_NUMBER, STATE_TEXT };

struct state_text; /* of a pool */

struct state_value {
	enum state_kind kind;
	union {
		int64_t number;
		struct state_text *text;
	};
};

struct state_texts;

struct state_texts *state_texts_new(void);
void state_texts_free(struct state_texts *texts); /* with all its texts */

/* The value that this text spells, with a reference. A longer text is cut, before a character that does not fit. */
struct state_value state_value_read(struct state_texts *texts, const char *text, size_t length);
struct state_value state_value_number(int64_t number);

/* Another reference to it; and one less, after which *value is null. */
struct state_value state_value_share(struct state_value value);
void state_value_drop(struct state_texts *texts, struct state_value *value);

bool state_value_equal(struct state_value a, struct state_value b); /* of one pool */

/* The value in words, with NUL; "" if it is null. A number is spelled into `room`. Valid as long as the value is. */
enum { STATE_VALUE_ROOM = 24 };
const char *state_value_spell(struct state_value value, char room[STATE_VALUE_ROOM], size_t *length);

/* A number of the caller's own for a text, 0 at first; it is kept as long as the text. */
int64_t *state_text_number(struct state_text *text);

#endif
