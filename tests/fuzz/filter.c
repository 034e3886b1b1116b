/* cchart-filter: charts, pairing, the ring, windows. */
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_filter(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, fuzz_variant(data, size, FILTERS));
	return 0;
}
