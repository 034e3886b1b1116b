/* Markers of programs: what any local user may send to trace-collect --async. Text, without control characters, comes of it. */
#include <ctype.h>
#include <string.h>

#include "source/markers.h"
#include "support/fuzz.h"

/* The reader's time: seeds are of this second. */
static const int64_t now = INT64_C(1000000000000);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream *stream = stream_create();
	size_t length;
	char *text;
	int count, kind = size > 0 && data[0] == '#';

	stream_output(stream, fuzz_output(FUZZ_FIRST), true);
	count = markers_write(stream, kind, data + kind, size - (size_t)kind, 7, 8, now);
	fuzz_must(count >= -1);
	stream_close(stream);
	text = fuzz_content(FUZZ_FIRST, &length);
	fuzz_must(count > 0 || (!strstr(text, "async ts=999") && !strstr(text, "exception")));
	for (size_t i = 0; i < length; i++)
		fuzz_must(!iscntrl((unsigned char)text[i]) || text[i] == '\n');
	free(text);
	return 0;
}
