/* trace-import: a log by strace, as it is, and merged with itself. What comes of one is a stream that every command can read. */
#include "support/fuzz.h"

enum { ALONE = 7, MERGED = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_import(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, size % 2 ? MERGED : ALONE);
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	return 0;
}
