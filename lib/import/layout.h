/*
 * layout: how an event is printed, turned around: from its text back to its fields.
 *
 * It is made from the event's print format, which libtraceevent takes apart. Each conversion of the format is one piece:
 * the text before it, which must be there word for word, and what the argument says of a field. A number that stands for a part of
 * a field (REC->dev >> 20) is moved back to its place, and parts of one field are put together; names that stand for numbers
 * (__print_symbolic, __print_flags, c ? "yes" : "no") become these numbers. An argument that cannot be turned around, such as a difference,
 * is passed over: what it stands for is not known.
 */
#ifndef IMPORT_LAYOUT_H
#define IMPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "stream/line.h"

/* What the text of a conversion says. */
enum piece_meaning {
	PIECE_NOTHING, /* that is known */
	PIECE_TEXT,
	PIECE_NUMBER,
	PIECE_NAMES, /* numbers by names */
};

struct piece_name {
	char *name;
	uint64_t number;
	bool known; /* else it is the name of a constant of the kernel */
};

struct piece {
	char *before; /* literal */
	enum piece_meaning meaning;
	char *field;
	bool hexadecimal;
	bool pointer;
	int shift;	/* the number is moved left by this */
	bool is_part;	/* of the field's number */
	int element;	/* of an array; -1: the field is none */
	char *delimiter; /* between names that are flags; NULL: one name only */
	ARRAY(struct piece_name) names;
};

struct layout {
	ARRAY(struct piece) pieces;
	char *after; /* literal, behind the last piece */
};

/* NULL: the print format cannot be turned around. `format` is as in a format file behind "print fmt:". */
struct layout *layout_new(const char *format);
void layout_free(struct layout *layout);

/*
 * How much of a text must be of the layout: all of it; what is before a blank; or what is before a name, as kernels and tools of other
 * versions add fields, leave some out and call some otherwise: what is left begins with another name=value, or it is nothing.
 */
enum layout_fit { LAYOUT_WHOLE, LAYOUT_BEGIN, LAYOUT_PART, LAYOUT_FITS };

/* Appends the fields of a text to the line. Returns how much of it was read; -1: it has another layout, and the line is as it was. */
long layout_read(const struct layout *layout, enum layout_fit fit, const char *text, size_t length, struct line *line);

/*
 * The same for a text of any layout: whatever looks like name=value or name: value. `hexadecimal`: so
 * are numbers without 0x. Returns how many fields it found.
 */
int layout_guess(const char *text, size_t length, bool hexadecimal, struct line *line);

/* Whether a name=value begins there, perhaps behind blanks and brackets. */
bool layout_begins_named(const char *text, size_t length);

/* Appends a number as the text has it, so that it reads back as one: hexadecimal ones need a 0x. */
void layout_number(struct line *line, const char *field, const char *text, size_t length, bool hexadecimal);

#endif
