/*
 * script: reads a trigger file word by word. Private to lib/trigger.
 *
 *	struct script script;
 *	script_begin(&script, text, length, source);	the first word is then script.now
 *	script_next(&script)				-1 after fail(): no word follows
 *
 * Words are names, numbers, strings and single marks. Keywords are names; their case does not matter, and an `s` may follow them.
 */
#ifndef TRIGGER_SCRIPT_H
#define TRIGGER_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_STRING, WORD_MARK };

struct word {
	enum word_kind kind;
	const char *text; /* with the quotes of a string */
	size_t length;
	unsigned line, column;
	bool whole; /* of a number: digits only */
};

struct script {
	const char *source, *at, *end;
	unsigned line, column; /* of `at` */
	unsigned last_line, last_column; /* the place behind the last word */
	const char *behind; /* the place behind the word before the current one */
	struct word now;
};

int script_begin(struct script *script, const char *text, size_t length, const char *source);
int script_next(struct script *script);

/*
 * Reads the name of a trigger or chart, which may hold - : . + / ~ @ %, or is a string. Returns a copy, which the caller frees, and moves on behind
 * the name. NULL after fail().
 */
char *script_name(struct script *script, const char *what);

/* Tells whether the current word is this mark, or this keyword. */
bool script_at_mark(const struct script *script, const char *mark);
bool script_at(const struct script *script, const char *keyword);

/* Tells whether the word is a keyword, which cannot be the name of a var. */
bool word_is_reserved(const struct word *word);

/* If the current word is this one, moves on and returns 1; else 0; -1 after fail(). */
int script_take(struct script *script, const char *keyword);
int script_take_mark(struct script *script, const char *mark);

/* Demand this word and move on. 0; -1 after fail(). */
int script_need(struct script *script, const char *keyword);
int script_need_mark(struct script *script, const char *mark);

/* The text of a string, without its quotes; the caller frees it. */
char *word_string(const struct word *word, size_t *length);

/* Both return -1 after fail(): "FILE:LINE:COLUMN: 'WORD' where WHAT is expected", or "FILE:LINE:COLUMN: sentence". */
int script_expected(const struct script *script, const char *what);
int script_fail(const struct script *script, const struct word *word, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
