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

bool layout_begins_named(const char *text, size_t length)
{
	size_t at = 0, name;

	while (at < length && strchr(" ,()[]{}", text[at]))
		at++;
	return name_at(text + at, length - at, 0, &name) > 0;
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
	if (end - at > 4 && memcmp(text + end - 4, " ==>", 4) == 0)
		end -= 4;
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

/* "0x7b (123)", as the kernel's option `fields` prints numbers: leaves the latter. */
static void take_number_of_both(const char *text, size_t *at, size_t *length)
{
	const char *open = memmem(text + *at, *length, " (", 2);
	size_t before = open ? (size_t)(open - text) - *at : 0;

	if (before < 3 || memcmp(text + *at, "0x", 2) != 0 || text[*at + *length - 1] != ')' || !is_number(text + *at, before) ||
	    !is_number(open + 2, *length - before - 3))
		return;
	*at += before + 2;
	*length -= before + 3;
}

int layout_guess(const char *text, size_t length, bool hexadecimal, struct line *line)
{
	size_t at = 0, name, value;
	int found = 0;

	while (at < length) {
		size_t end, size;
		char field[64];

		value = name_at(text, length, at, &name);
		if (!value || name >= sizeof(field)) {
			at++;
			continue;
		}
		memcpy(field, text + at, name);
		field[name] = '\0';
		end = value_end(text, length, value);
		size = end - value;
		take_number_of_both(text, &value, &size);
		if (hexadecimal || is_number(text + value, size))
			layout_number(line, field, text + value, size, hexadecimal);
		else
			line_bytes(line, field, text + value, size);
		found++;
		at = end > value ? end : value;
	}
	return found;
}
