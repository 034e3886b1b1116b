/* trace-import: ftrace's text, systrace pages, perf script. What comes of one is a stream that every command can read. */
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_import(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, fuzz_variant(data, size, IMPORTS));
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	return 0;
}
