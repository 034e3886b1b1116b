/* trace-import: trace.dat files. What comes of one is a stream that every command can read. */
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned variant = size ? data[size - 1] % 4 : 0; /* a comment has no place before a magic number */

	stage_import(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, variant == 3 ? 6 : variant);
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	return 0;
}
