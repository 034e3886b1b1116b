/* The whole pipe: cchart-filter | graph-build | blame-rank | report. */
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned variant = fuzz_variant(data, size, FILTERS * RANKS);

	stage_filter(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, variant % FILTERS);
	stage_rank(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, variant % RANKS);
	stage_report(fuzz_path(FUZZ_SECOND), FUZZ_THIRD, variant & 1);
	check_report(FUZZ_THIRD, variant & 1);
	return 0;
}
