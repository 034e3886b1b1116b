/* trace-import: what babeltrace prints. What comes of it is a stream that every command can read. */
#include "support/fuzz.h"

enum { CTF = 9 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_import(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, CTF);
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	return 0;
}
