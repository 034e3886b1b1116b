/* graph-build and blame-rank: graphs out of events, and graphs that come as records. */
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned variant = fuzz_variant(data, size, RANKS + BUILDS);
	const char *input = fuzz_file(FUZZ_INPUT, data, size);

	if (variant < RANKS)
		stage_rank(input, FUZZ_FIRST, variant);
	else
		stage_build(input, FUZZ_FIRST, variant - RANKS);
	return 0;
}
