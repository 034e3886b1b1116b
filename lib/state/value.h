/*
 * value: the value of an attribute: nothing (null), a 64-bit integer, or a text of up to STATE_TEXT_MAX bytes.
 *
 * A text that spells a decimal 64-bit integer (-?[1-9][0-9]* or 0) is a number, wherever it came from, because a text stream knows no types. An
 * empty text is not null. Equal texts of a pool are the same object. The pool counts its references, and frees objects without references when
 * there are many.
 */
#ifndef STATE_VALUE_H
#define STATE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATE_TEXT_MAX = 255 };

enum state_kind { STATE_NULL, STATE_NUMBER, STATE_TEXT };

struct state_text; /* a text of a pool */

struct state_value {
	enum state_kind kind;
	union {
		int64_t number;
		struct state_text *text;
	};
};

struct state_texts;

struct state_texts *state_texts_new(void);
void state_texts_free(struct state_texts *texts); /* frees the pool with all its texts */

/* The value that this text spells, with a reference. A text longer than STATE_TEXT_MAX is cut before the character that does not fit. */
struct state_value state_value_read(struct state_texts *texts, const char *text, size_t length);
struct state_value state_value_number(int64_t number);

/* state_value_share() takes another reference to the value. state_value_drop() gives one back and sets *value to null. */
struct state_value state_value_share(struct state_value value);
void state_value_drop(struct state_texts *texts, struct state_value *value);

bool state_value_equal(struct state_value a, struct state_value b); /* both of one pool */

/* The value as text, with NUL; "" if it is null. A number is spelled into `room`. A text is valid as long as the value is. */
enum { STATE_VALUE_ROOM = 24 };
const char *state_value_spell(struct state_value value, char room[STATE_VALUE_ROOM], size_t *length);

/* A number that the caller may attach to a text; 0 at first, kept as long as the text. */
int64_t *state_text_number(struct state_text *text);

#endif
