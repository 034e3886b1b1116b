#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "span/tree.h"

/* Lengths from which a word of hexadecimal digits, or of any letters, is an id if digits are in it. */
enum { HEX_ID = 8, ID = 16, ID_DIGITS = 3 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* "123e4567-e89b-12d3-a456-426614174000" */
static size_t uuid_length(const char *text)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != '-')
			return 0;
	return is_word(text[sizeof(shape) - 1]) ? 0 : sizeof(shape) - 1;
}

static bool is_id(const char *word, size_t length)
{
	size_t digits = 0, hexadecimal = 0;

	for (size_t i = 0; i < length; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		hexadecimal += isxdigit((unsigned char)word[i]) != 0;
	}
	return digits == length || (digits && hexadecimal == length && length >= HEX_ID) || (digits >= ID_DIGITS && length >= ID);
}

/* "1.5" and "10.0.0.1" are one number. */
static size_t number_length(const char *text)
{
	size_t length = strspn(text, "0123456789.");

	while (length && text[length - 1] == '.')
		length--;
	return isdigit((unsigned char)*text) && !is_word(text[length]) ? length : 0;
}

char *operation_name(const char *operation)
{
	char *name = memory_new(strlen(operation) + 1, 1), *to = name;

	while (*operation) {
		size_t word = 0, number = number_length(operation), uuid = uuid_length(operation);
		bool id;

		while (is_word(operation[word]))
			word++;
		id = number || uuid || (word && is_id(operation, word));
		word = uuid ? uuid : number ? number : word ? word : 1;
		if (id)
			*to++ = '*';
		else
			to = mempcpy(to, operation, word);
		operation += word;
	}
	*to = '\0';
	return name;
}
