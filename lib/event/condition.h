/*
 * condition: conditions with three-valued logic, for all languages of the suite that have them: the kernel's event filters
 * (event/predicate.h) and triggers. Each language reads its own words into such a tree; this file alone says what the tree means.
 *
 *	condition = condition_both(CONDITION_AND, condition_test(CONDITION_LESS, condition_named(7), condition_number(5)), other)
 *	condition_truth(condition, value_of, context)	for each event
 *	condition_free(condition)
 *
 * An absent value is unknown. Whatever is computed from it is unknown, and so is a comparison with it; AND and OR are unknown
 * if the unknown side decides, as in SQL. A division by zero is unknown, too.
 *
 * The makers take their operands over. A tree is as deep as its text nests; the readers bound that.
 */
#ifndef EVENT_CONDITION_H
#define EVENT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* AND is the lesser of two, OR the greater. */
enum truth { TRUTH_NO, TRUTH_UNKNOWN, TRUTH_YES };

enum condition_kind {
	CONDITION_AND,
	CONDITION_OR,
	CONDITION_NOT,
	CONDITION_TEST,
	CONDITION_SURE,	 /* of a test: NO if the test is unknown */
	CONDITION_KNOWN, /* of a value: whether it is known */
	/* values */
	CONDITION_NAMED,
	CONDITION_LITERAL,
	CONDITION_ADD,
	CONDITION_SUBTRACT,
	CONDITION_MULTIPLY,
	CONDITION_DIVIDE,
	CONDITION_NEGATE,
};

/* BITS: of two integers, whether they have a bit in common. LIKE: the right side is a pattern of fnmatch(3) over the whole text. */
enum condition_operator {
	CONDITION_EQUAL,
	CONDITION_UNEQUAL,
	CONDITION_AT_MOST,
	CONDITION_AT_LEAST,
	CONDITION_LESS,
	CONDITION_GREATER,
	CONDITION_BITS,
	CONDITION_LIKE,
	CONDITION_OPERATORS
};

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,
	VALUE_INTEGER, /* of a width; two of them are compared as the kernel does, in the width and sign of the left one */
	VALUE_TEXT,    /* compared by bytes; with a number: unknown */
	VALUE_OPEN,    /* a word: with a number, the number it spells, else unknown; with text, text; with a word, numbers if both are, else text */
};

struct value {
	enum value_kind kind;
	double number;
	uint64_t bits;	      /* of an integer */
	unsigned size;	      /* its bytes, 1 to 8 */
	bool is_signed;
	bool may_be_unsigned; /* is_signed was guessed: the value is unsigned if the right side is too large for a signed number */
	const char *text;     /* ends in NUL */
};

enum { VALUE_ROOM = 1024 }; /* for a text, with NUL */

/* Sets *value to the value with this number; its text may be in `room`. */
typedef void value_function(void *context, int named, char room[VALUE_ROOM], struct value *value);

struct condition {
	enum condition_kind kind;
	enum condition_operator operator;
	struct condition *left, *right; /* of NOT, SURE, KNOWN and NEGATE: only left */
	int named;
	struct value literal; /* owns its text */
};

/* Makers. */
struct condition *condition_both(enum condition_kind kind, struct condition *left, struct condition *right); /* AND, OR, and arithmetic */
struct condition *condition_one(enum condition_kind kind, struct condition *of);			      /* NOT, SURE, KNOWN, NEGATE */
struct condition *condition_test(enum condition_operator operator, struct condition *left, struct condition *right);
struct condition *condition_named(int named);
struct condition *condition_number(double number);
struct condition *condition_integer(uint64_t bits, bool is_signed); /* 64 bits wide */
struct condition *condition_text(const char *text, size_t length);
void condition_free(struct condition *condition); /* NULL: does nothing */

/* Judges a condition; NULL is one that always holds. */
enum truth condition_truth(const struct condition *condition, value_function *value_of, void *context);

/* Calls for each named value, from left to right. */
void condition_each_named(const struct condition *condition, void (*call)(void *context, int named), void *context);

#endif
