/* What a report must never be, whatever its input. */
#include <jansson.h>
#include <string.h>

#include "fuzz.h"

static void check_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		fuzz_must(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
	for (const char *c1 = text; (c1 = strchr(c1, 0xc2)); c1++) /* U+0080 to U+009f control a terminal too */
		fuzz_must((unsigned char)c1[1] >= 0xa0);
}

static void check_json(const char *text, size_t length)
{
	json_error_t error;
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fprintf(stderr, "%s, line %d\n%.2000s\n", error.text, error.line, text);
	fuzz_must(json);
	json_decref(json);
}

/* The dictionary's element is text wherever it came from. */
static void check_html(const char *text)
{
	fuzz_must(!strstr(text, "<evil"));
	fuzz_must(strstr(text, "</html>\n"));
}

void check_report(int output, unsigned variant)
{
	size_t length;
	char *text = fuzz_content(output, &length);

	if (variant == 1 || variant == 5)
		check_json(text, length);
	else if (variant != 2)
		check_text(text, length);
	else if (length > 0)
		check_html(text);
	free(text);
}
