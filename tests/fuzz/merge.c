/* stream-merge: two hosts of one stream, and one of them alone. What comes of them is a stream that every command can read. */
#include <unistd.h>

#include "clock/merge.h"
#include "stream/stream.h"
#include "support/fuzz.h"

static void merge_both(const char *path, int output, const char *only)
{
	struct stream *stream = stream_create();
	struct host_merge *merge = merge_new();
	char operand[64];
	bool merged;

	snprintf(operand, sizeof(operand), "b=%s", path);
	stream_output(stream, fuzz_output(output), only != NULL);
	merged = merge_read(merge, path) == 0 && merge_read(merge, operand) == 0 && merge_find(merge, NULL) == 0;
	for (size_t i = 0; i < merge_note_count(merge); i++)
		fuzz_must(merge_note(merge, i));
	if (merged)
		fuzz_must(merge_write(merge, stream, only) == 0);
	merge_free(merge);
	fuzz_must(stream_close(stream) != 1);
	fuzz_must(stage_cat(fuzz_path(output), FUZZ_THIRD, true) != 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(FUZZ_INPUT, data, size);

	merge_both(path, FUZZ_FIRST, NULL);
	merge_both(path, FUZZ_SECOND, "b");
	return 0;
}
