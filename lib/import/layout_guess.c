/* Fields of a text of which no layout is known: name=value and name: value. */
#include <ctype.h>
#include <string.h>

#include "import/layout.h"

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * A name with '=' or ": " behind it, and something before it that ends a word. Returns where its value begins, 0: it is
 * none.
 */
static size_t name_at(const char *text, size_t length, size_t at, size_t *name)
{
	size_t end = at;

	if (at > 0 && !strchr(" ,([{", text[at - 1]))
		return 0;
	if (at >= length || isdigit((unsigned char)text[at]))
		return 0;
	while (end < length && is_name(text[end]))
		end++;
	*name = end - at;
	if (*name == 0 || end >= length)
		return 0;
	if (text[end] == '=' && !(end + 1 < length && strchr("=>", text[end + 1])))
		return end + 1;
	return text[end] == ':' && end + 1 < length && text[end + 1] == ' ' ? end + 2 : 0;
}

/* Where the value ends: before the next name, in quotes behind the closing one; and what separates the two. */
static size_t value_end(const char *text, size_t length, size_t at)
{
	size_t name, end = at;

	while (end < length && !name_at(text, length, end, &name))
		end++;
	while (end > at && end < length && strchr(" ,([{", text[end - 1]))
		end--;
	while (end > at && (text[end - 1] == ' ' || text[end - 1] == ','))
		end--;
	return end;
}

static bool is_number(const char *text, size_t length)
{
	size_t at = length > 1 && text[0] == '-';
	bool marked = length > at + 2 && text[at] == '0' && text[at + 1] == 'x';

	for (at += marked ? 2 : 0; at < length; at++)
		if (marked ? !isxdigit((unsigned char)text[at]) : !isdigit((unsigned char)text[at]))
			return false;
	return length > 0;
}

int layout_guess(const char *text, size_t length, bool hexadecimal, struct line *line)
{
	size_t at = 0, name, value;
	int found = 0;

	while (at < length) {
		char field[64];
		size_t end;

		value = name_at(text, length, at, &name);
		if (!value || name >= sizeof(field)) {
			at++;
			continue;
		}
		memcpy(field, text + at, name);
		field[name] = '\0';
		end = value_end(text, length, value);
		if (hexadecimal || is_number(text + value, end - value))
			layout_number(line, field, text + value, end - value, hexadecimal);
		else
			line_bytes(line, field, text + value, end - value);
		found++;
		at = end > value ? end : value;
	}
	return found;
}
