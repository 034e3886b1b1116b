#include "report/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "report/words.h"

enum { WORD_LEAST = 24 };

/* How much stands together: a word, and a unit behind its number. */
static size_t unbroken(const char *text)
{
	static const char *const units[] = {"s", "ms", "us", "ns", "%"};
	size_t length = strcspn(text, " "), next, i;
	const char *unit = text + length + 1;

	if (!text[length] || length == 0 || text[length - 1] < '0' || text[length - 1] > '9')
		return length;
	next = strcspn(unit, " ,;:)");
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i]) == next && !strncmp(unit, units[i], next))
			return length + 1 + strcspn(unit, " ");
	return length;
}

void wrap_text(FILE *out, size_t width, const char *lead, const char *text)
{
	size_t indent = words_columns(lead), column = indent, length, columns;
	size_t room = width > indent + WORD_LEAST ? width - indent : WORD_LEAST;
	char *word, *fitting;

	fputs(lead, out);
	while (*text) {
		length = unbroken(text);
		word = memory_text(text, length);
		fitting = words_shorten(word, room);
		columns = words_columns(fitting);
		if (column > indent && column + 1 + columns > indent + room) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fputs(fitting, out);
		column += columns;
		text += length + strspn(text + length, " ");
		free(word);
		free(fitting);
	}
	fputc('\n', out);
}
