#include "program/argument.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "event/event.h"

struct cursor {
	const char *text, *at;
};

static bool is_first(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct cursor *cursor)
{
	cursor->at += strspn(cursor->at, " \t");
}

static int fail_at(const struct cursor *cursor, const char *wanted)
{
	return fail("wrong arguments '%s': %s at column %d", cursor->text, wanted, (int)(cursor->at - cursor->text) + 1);
}

/* Takes the token if it comes next. */
static bool take(struct cursor *cursor, const char *token)
{
	size_t length = strlen(token);

	skip_blanks(cursor);
	if (strncmp(cursor->at, token, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

/* `scopes`: the word may contain "::". */
static int read_word(struct cursor *cursor, const char *what, bool scopes, char word[ARGUMENT_WORD])
{
	const char *end;

	skip_blanks(cursor);
	end = cursor->at;
	if (!is_first(*end))
		return fail_at(cursor, what);
	while (is_in_word(*end) || (scopes && !strncmp(end, "::", 2) && is_first(end[2])))
		end += is_in_word(*end) ? 1 : 2;
	if (end - cursor->at >= ARGUMENT_WORD)
		return fail_at(cursor, "a word is too long");
	memcpy(word, cursor->at, (size_t)(end - cursor->at));
	word[end - cursor->at] = '\0';
	cursor->at = end;
	return 0;
}

static int read_number(struct cursor *cursor, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	skip_blanks(cursor);
	if (!isdigit((unsigned char)*cursor->at))
		return fail_at(cursor, "a number is wanted");
	*number = strtoull(cursor->at, &end, 10);
	if (*number < least || *number > most || end - cursor->at > 9)
		return fail_at(cursor, "the number is out of range");
	cursor->at = end;
	return 0;
}

/* The last part of a word that may have scopes. */
static const char *last_part(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon ? colon + 1 : word;
}

static void set_label(struct argument *argument, const char *word)
{
	memmove(argument->label, word, strlen(word) + 1);
}

/* Reads "LABEL =", which is not part of the expression's text. There is no "==" in expressions. */
static void read_label(struct cursor *cursor, struct argument *argument)
{
	struct cursor ahead = *cursor;
	char word[ARGUMENT_WORD];

	skip_blanks(&ahead);
	if (!is_first(*ahead.at) || read_word(&ahead, "", false, word) < 0 || !take(&ahead, "="))
		return;
	set_label(argument, word);
	*cursor = ahead;
}

static int read_base(struct cursor *cursor, struct argument *argument, char last[ARGUMENT_WORD])
{
	uint64_t number;

	if (take(cursor, "%")) {
		argument->base = ARGUMENT_NUMBERED;
		if (read_number(cursor, 1, ARGUMENT_NUMBER_MAX, &number) < 0)
			return -1;
		argument->number = (unsigned)number;
		snprintf(last, ARGUMENT_WORD, "arg%u", argument->number);
		return 0;
	}
	argument->base = take(cursor, "@") ? ARGUMENT_GLOBAL : ARGUMENT_PARAMETER;
	if (read_word(cursor, "a parameter, %N, ret or @SYMBOL is wanted", argument->base == ARGUMENT_GLOBAL, argument->name) < 0)
		return -1;
	if (argument->base == ARGUMENT_PARAMETER && strcmp(argument->name, "ret") == 0)
		argument->base = ARGUMENT_RESULT;
	memmove(last, last_part(argument->name), strlen(last_part(argument->name)) + 1);
	return 0;
}

static int read_steps(struct cursor *cursor, struct argument *argument, char last[ARGUMENT_WORD])
{
	for (;;) {
		struct argument_step step = {.kind = ARGUMENT_INDEX};

		if (take(cursor, "->"))
			step.kind = ARGUMENT_ARROW;
		else if (take(cursor, "."))
			step.kind = ARGUMENT_DOT;
		else if (!take(cursor, "["))
			return 0;
		if (argument->step_count == ARGUMENT_STEPS)
			return fail_at(cursor, "there are too many steps");
		if (step.kind == ARGUMENT_INDEX) {
			if (read_number(cursor, 0, ARGUMENT_INDEX_MAX, &step.index) < 0)
				return -1;
			if (!take(cursor, "]"))
				return fail_at(cursor, "']' is wanted");
		} else if (read_word(cursor, "a member is wanted", false, step.member) < 0) {
			return -1;
		} else {
			memcpy(last, step.member, sizeof(step.member));
		}
		argument->steps[argument->step_count++] = step;
	}
}

static int read_type(struct cursor *cursor, struct argument *argument)
{
	static const struct {
		const char *name;
		enum argument_kind kind;
		unsigned size;
	} types[] = {
		{"u8", ARGUMENT_UNSIGNED, 1}, {"u16", ARGUMENT_UNSIGNED, 2}, {"u32", ARGUMENT_UNSIGNED, 4}, {"u64", ARGUMENT_UNSIGNED, 8},
		{"s8", ARGUMENT_SIGNED, 1},   {"s16", ARGUMENT_SIGNED, 2},   {"s32", ARGUMENT_SIGNED, 4},   {"s64", ARGUMENT_SIGNED, 8},
		{"x64", ARGUMENT_HEX, 8},     {"ptr", ARGUMENT_HEX, 8},	     {"string", ARGUMENT_STRING, 8}, {"text", ARGUMENT_TEXT, 0},
		{"path", ARGUMENT_PATH, 8},
	};
	struct cursor ahead;
	char word[ARGUMENT_WORD];

	if (!take(cursor, ":"))
		return 0;
	ahead = *cursor;
	if (read_word(&ahead, "a type is wanted", false, word) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, word) == 0) {
			argument->kind = types[i].kind;
			argument->size = types[i].size;
			*cursor = ahead;
			return 0;
		}
	skip_blanks(cursor);
	return fail_at(cursor, "there are the types u8 to u64, s8 to s64, x64, string, text, path, ptr, but not this");
}

static int read_argument(struct cursor *cursor, struct argument *argument)
{
	char last[ARGUMENT_WORD];

	*argument = (struct argument){0};
	read_label(cursor, argument);
	skip_blanks(cursor);
	argument->text = cursor->at;
	if (read_base(cursor, argument, last) < 0 || read_steps(cursor, argument, last) < 0 || read_type(cursor, argument) < 0)
		return -1;
	argument->length = (int)(cursor->at - argument->text);
	if (!*argument->label)
		set_label(argument, last);
	return 0;
}

/* Fields that the events of functions have anyway. */
static bool is_reserved(const char *label)
{
	static const char *const reserved[] = {"sp", "__probe_ip", "__probe_func", "__probe_ret_ip", EVENT_UNKNOWN};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(reserved[i], label) == 0)
			return true;
	return strncmp(label, "common_", strlen("common_")) == 0;
}

static bool has_label(const struct arguments *arguments, const char *label)
{
	for (int i = 0; i < arguments->count; i++)
		if (strcmp(arguments->items[i].label, label) == 0)
			return true;
	return false;
}

int arguments_parse(const char *text, struct arguments *arguments)
{
	struct cursor cursor = {text, text};

	arguments->count = 0;
	do {
		struct cursor begin = cursor;
		struct argument argument;

		skip_blanks(&begin);
		if (arguments->count == ARGUMENTS_MAX)
			return fail_at(&begin, "there are too many");
		if (read_argument(&cursor, &argument) < 0)
			return -1;
		if (is_reserved(argument.label))
			return fail_at(&begin, "events have a field of this name, so give it another, NAME=...,");
		if (has_label(arguments, argument.label))
			return fail_at(&begin, "a second one has this name, so give it another, NAME=...,");
		arguments->items[arguments->count++] = argument;
	} while (take(&cursor, ","));
	skip_blanks(&cursor);
	return *cursor.at ? fail_at(&cursor, "',' or the end is wanted") : 0;
}

const char *arguments_in(const char *text, size_t *name)
{
	static const char operator[] = "operator";
	size_t at = *name;
	int open = 0;

	if (at == 0 || text[at - 1] != ')')
		return NULL;
	while (at-- > 0) {
		open += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
		if (open == 0)
			break;
	}
	if (open != 0 || (at >= strlen(operator) && !strncmp(text + at - strlen(operator), operator, strlen(operator))))
		return NULL;
	*name = at;
	return text + at + 1;
}

struct argument_found argument_absent(const struct argument *argument)
{
	struct argument_found found = {.absent = true, .size = (uint8_t)argument->size};

	switch (argument->kind) {
	case ARGUMENT_SIGNED:
		found.form = ARGUMENT_FORM_SIGNED;
		break;
	case ARGUMENT_HEX:
		found.form = ARGUMENT_FORM_HEX;
		break;
	case ARGUMENT_STRING:
	case ARGUMENT_TEXT:
	case ARGUMENT_PATH:
		found.form = ARGUMENT_FORM_TEXT;
		found.size = ARGUMENT_TEXT_MOST;
		break;
	default:
		found.form = ARGUMENT_FORM_UNSIGNED;
		break;
	}
	return found;
}

static bool is_path(const struct argument_path *path)
{
	return path->derefs <= ARGUMENT_DEREFS && (path->start < ARGUMENT_REGISTERS || path->start == ARGUMENT_AT_RESULT ||
						    (path->start == ARGUMENT_AT_FILE && path->derefs > 0));
}

bool argument_is_sane(const struct argument_found *found)
{
	bool number = found->form <= ARGUMENT_FORM_HEX;

	if (found->absent)
		return found->form < ARGUMENT_FORM_TEXT ? found->size && found->size <= 8 && !(found->size & (found->size - 1))
							: found->form == ARGUMENT_FORM_TEXT && found->size > 0;
	if (found->form > ARGUMENT_FORM_COUNTED || !is_path(&found->value))
		return false;
	if (!number)
		return found->size > 0 && found->value.derefs > 0 && (found->form == ARGUMENT_FORM_TEXT || is_path(&found->length));
	return (found->size == 1 || found->size == 2 || found->size == 4 || found->size == 8) && found->bit + found->bits <= 8 * found->size;
}
