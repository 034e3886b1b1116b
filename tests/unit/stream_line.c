/* How values are written. */
#include <assert.h>
#include <string.h>

#include "stream/line.h"

static void expect(const char *value, const char *text)
{
	struct line line = {0};

	line_begin(&line, "task");
	line_text(&line, "comm", value);
	assert(!strncmp(line.text, "task comm=", 10));
	assert(!strcmp(line.text + 10, text));
	line_free(&line);
}

static void test_quotes(void)
{
	expect("fio", "fio");
	expect("", "\"\"");
	expect("a=b", "\"a=b\"");
	expect("a \"b\" \\", "\"a \\\"b\\\" \\\\\"");
	expect("\n\t\1\x7f", "\"\\n\\t\\x01\\x7f\"");
}

/* Else the programs that read lines take them for no text, and some leave them out. */
static void test_utf8(void)
{
	expect("caf\303\251", "\"caf\303\251\"");
	expect("\342\202\254\360\237\220\247", "\"\342\202\254\360\237\220\247\"");
	expect("caf\303", "\"caf\\xc3\"");
	expect("\342\202x", "\"\\xe2\\x82x\"");
	expect("\360\237\220", "\"\\xf0\\x9f\\x90\"");
	expect("\251\377", "\"\\xa9\\xff\"");
	expect("\300\257", "\"\\xc0\\xaf\""); /* longer than need be */
	expect("\355\240\200", "\"\\xed\\xa0\\x80\""); /* a surrogate */
	expect("\364\220\200\200", "\"\\xf4\\x90\\x80\\x80\""); /* beyond the last */
}

int main(void)
{
	test_quotes();
	test_utf8();
	return 0;
}
