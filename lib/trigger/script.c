#include "trigger/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"

enum { SHOWN_MAX = 40, SENTENCE_ROOM = 256 };

/* Independent of the locale, unlike isalpha(). */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int script_fail(const struct script *script, const struct word *word, const char *format, ...)
{
	char sentence[SENTENCE_ROOM];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return fail("%s:%u:%u: %s", script->source, word->line, word->column, sentence);
}

/* The word as a message shows it: '?' replaces each unprintable character. */
static void show(const struct word *word, char shown[SHOWN_MAX])
{
	size_t length = word->length < SHOWN_MAX - 1 ? word->length : SHOWN_MAX - 1;

	for (size_t i = 0; i < length; i++)
		shown[i] = word->text[i] >= ' ' && word->text[i] <= '~' ? word->text[i] : '?';
	shown[length] = '\0';
}

int script_expected(const struct script *script, const char *what)
{
	char shown[SHOWN_MAX];

	if (script->now.kind == WORD_END)
		return script_fail(script, &script->now, "the text ends where %s is expected", what);
	show(&script->now, shown);
	if (script->now.kind == WORD_STRING)
		return script_fail(script, &script->now, "%s where %s is expected", shown, what);
	return script_fail(script, &script->now, "'%s' where %s is expected", shown, what);
}

static void skip_blanks(struct script *script)
{
	for (; script->at < script->end; script->at++) {
		if (*script->at == '\n') {
			script->line++;
			script->column = 1;
			continue;
		}
		if (*script->at == '#') {
			const char *newline = memchr(script->at, '\n', (size_t)(script->end - script->at)), *end = newline ? newline : script->end;
			const char *zero = memchr(script->at, '\0', (size_t)(end - script->at)); /* a NUL would end the kept text of the trigger */

			script->column += (unsigned)((zero ? zero : end) - script->at);
			script->at = zero ? zero : end - 1;
			if (zero)
				return;
			continue;
		}
		if (*script->at != ' ' && *script->at != '\t' && *script->at != '\r')
			return;
		script->column++;
	}
}

static size_t digits(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && is_digit(*at))
		at++;
	return (size_t)(at - from);
}

/* The length of digits[.digits][e[+-]digits]. */
static size_t number_length(const char *at, const char *end, bool *whole)
{
	size_t length = digits(at, end), more, sign;

	*whole = true;
	if (at + length < end && at[length] == '.' && (more = digits(at + length + 1, end)) > 0) {
		length += 1 + more;
		*whole = false;
	}
	if (at + length < end && (at[length] | 0x20) == 'e') {
		sign = at + length + 1 < end && (at[length + 1] == '+' || at[length + 1] == '-');
		more = at + length + 1 + sign < end ? digits(at + length + 1 + sign, end) : 0;
		if (more > 0) {
			length += 1 + sign + more;
			*whole = false;
		}
	}
	return length;
}

/* The length of a string with both its quotes; 0: the line ends before the string. */
static size_t string_length(const char *at, const char *end)
{
	for (const char *c = at + 1; c < end && *c && *c != '\n'; c++)
		if (*c == '\'' && (c + 1 == end || c[1] != '\''))
			return (size_t)(c - at) + 1;
		else if (*c == '\'')
			c++;
	return 0;
}

static size_t mark_length(const char *at, const char *end)
{
	static const char *const marks[] = {"<=", ">=", "!=", "<", ">", "=", "(", ")", ",", ".", "+", "-", "*", "/"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if ((size_t)(end - at) >= strlen(marks[i]) && !memcmp(at, marks[i], strlen(marks[i])))
			return strlen(marks[i]);
	return 0;
}

static void advance(struct script *script, size_t length)
{
	script->at += length;
	script->column += (unsigned)length;
	script->last_line = script->line;
	script->last_column = script->column;
}

int script_next(struct script *script)
{
	struct word *word = &script->now;
	char shown[SHOWN_MAX];

	script->behind = script->at;
	skip_blanks(script);
	*word = (struct word){.text = script->at, .line = script->line, .column = script->column};
	if (script->at == script->end) {
		word->line = script->last_line;
		word->column = script->last_column;
		return 0;
	}
	if (is_letter(*script->at)) {
		word->kind = WORD_NAME;
		while (word->text + word->length < script->end && (is_letter(word->text[word->length]) || is_digit(word->text[word->length])))
			word->length++;
	} else if (is_digit(*script->at)) {
		word->kind = WORD_NUMBER;
		word->length = number_length(script->at, script->end, &word->whole);
	} else if (*script->at == '\'') {
		word->kind = WORD_STRING;
		word->length = string_length(script->at, script->end);
		if (!word->length)
			return script_fail(script, word, "the string has no end on its line");
	} else {
		word->kind = WORD_MARK;
		word->length = mark_length(script->at, script->end);
	}
	if (!word->length) {
		word->length = 1;
		show(word, shown);
		return script_fail(script, word, "'%s' has no meaning here", shown);
	}
	advance(script, word->length);
	return 0;
}

int script_begin(struct script *script, const char *text, size_t length, const char *source)
{
	*script = (struct script){.source = source, .at = text, .end = text + length, .line = 1, .column = 1, .last_line = 1, .last_column = 1};
	return script_next(script);
}

char *word_string(const struct word *word, size_t *length)
{
	char *text = memory_text(word->text + 1, word->length - 2), *to = text;

	for (const char *from = text; from < text + word->length - 2; from++) {
		*to++ = *from;
		from += *from == '\'';
	}
	*to = '\0';
	*length = (size_t)(to - text);
	return text;
}

static bool is_of_name(char c)
{
	return is_letter(c) || is_digit(c) || (c && strchr("-:.+/~@%", c));
}

char *script_name(struct script *script, const char *what)
{
	struct word *word = &script->now;
	char *name;
	size_t length;

	if (word->kind == WORD_STRING && word->length > 2 && !memchr(word->text, '\0', word->length)) {
		name = word_string(word, &length);
	} else if (word->kind == WORD_NAME || script_at_mark(script, ".") || script_at_mark(script, "/")) {
		for (length = word->length; script->at < script->end && is_of_name(*script->at); length++)
			advance(script, 1);
		name = memory_text(word->text, length);
	} else {
		script_expected(script, what);
		return NULL;
	}
	if (script_next(script) == 0)
		return name;
	free(name);
	return NULL;
}

/* Tells whether a word is this keyword, with or without an `s` behind it. */
static bool word_is(const struct word *word, const char *keyword)
{
	size_t length = strlen(keyword);

	if (word->kind != WORD_NAME || word->length < length || strncasecmp(word->text, keyword, length) != 0)
		return false;
	return word->length == length || (word->length == length + 1 && (word->text[length] | 0x20) == 's');
}

bool word_is_reserved(const struct word *word)
{
	static const char *const reserved[] = {"DEFINE", "TRIGGER", "ON", "FOR", "IF", "LOG", "WITH", "UNTIL", "AND", "OR", "NOT", "LIKE", "EVERY"};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (word_is(word, reserved[i]))
			return true;
	return false;
}

bool script_at(const struct script *script, const char *keyword)
{
	return word_is(&script->now, keyword);
}

bool script_at_mark(const struct script *script, const char *mark)
{
	const struct word *word = &script->now;

	return word->kind == WORD_MARK && word->length == strlen(mark) && !memcmp(word->text, mark, word->length);
}

int script_take(struct script *script, const char *keyword)
{
	if (!script_at(script, keyword))
		return 0;
	return script_next(script) < 0 ? -1 : 1;
}

int script_take_mark(struct script *script, const char *mark)
{
	if (!script_at_mark(script, mark))
		return 0;
	return script_next(script) < 0 ? -1 : 1;
}

int script_need(struct script *script, const char *keyword)
{
	int taken = script_take(script, keyword);

	return taken == 0 ? script_expected(script, keyword) : taken < 0 ? -1 : 0;
}

int script_need_mark(struct script *script, const char *mark)
{
	char what[8];
	int taken = script_take_mark(script, mark);

	snprintf(what, sizeof(what), "'%s'", mark);
	return taken == 0 ? script_expected(script, what) : taken < 0 ? -1 : 0;
}
