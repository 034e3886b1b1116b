/* stream-cat: both spellings of a stream. What was text once stays that text to the byte, and can be read. */
#include <string.h>

#include "support/fuzz.h"

/* Takes out the ends that copies of what was cut get: they count formats, which text has not. Returns what is left. */
static size_t without_cut_ends(char *text, size_t length)
{
	char *line, *behind, *to = text;

	for (line = text; line < text + length; line = behind) {
		behind = memchr(line, '\n', (size_t)(text + length - line));
		behind = behind ? behind + 1 : text + length;
		if (!strncmp(line, "end records=", 12) && memmem(line, (size_t)(behind - line), " cut=yes", 8))
			continue;
		memmove(to, line, (size_t)(behind - line));
		to += behind - line;
	}
	return (size_t)(to - text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *input = fuzz_file(FUZZ_INPUT, data, size);
	int as_text = stage_cat(input, FUZZ_FIRST, true), as_binary = stage_cat(input, FUZZ_SECOND, false), again;
	size_t length, again_length;
	char *text, *again_text;

	if (as_text == 1 || as_binary == 1)
		return 0;
	fuzz_must(as_text == as_binary);
	again = stage_cat(fuzz_path(FUZZ_SECOND), FUZZ_THIRD, true);
	fuzz_must(again == as_binary);
	text = fuzz_content(FUZZ_FIRST, &length);
	again_text = fuzz_content(FUZZ_THIRD, &again_length);
	length = without_cut_ends(text, length);
	again_length = without_cut_ends(again_text, again_length);
	fuzz_must(length == again_length && !memcmp(text, again_text, length));
	if (length > 0) /* nothing is no stream */
		fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_THIRD, true) == as_text);
	free(text);
	free(again_text);
	return 0;
}
