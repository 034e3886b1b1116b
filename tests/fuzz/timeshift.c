/*
 * Times of a trace.dat file. The input is its option TIME_SHIFT; its first bytes are the ticks' scale and the offset too, which
 * other options give.
 */
#include <string.h>

#include "import/timeshift.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct timeshift shift = {0};
	uint64_t times[2];

	if (size < sizeof(times))
		return 0;
	memcpy(times, data, sizeof(times));
	shift.offset = (int64_t)times[0];
	shift.mult = (uint32_t)times[1];
	shift.shift = (uint32_t)(times[1] >> 32) % 64;
	timeshift_read_samples(&shift, (struct cursor){.at = (const char *)data, .end = (const char *)data + size});
	for (int cpu = 0; cpu < 3; cpu++)
		for (int i = 0; i < 2; i++)
			timeshift_apply(&shift, cpu, times[i]);
	timeshift_free(&shift);
	return 0;
}
