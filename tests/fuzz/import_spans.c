/* trace-import: spans by OTLP and by Jaeger. The graphs that come of them are sound: they can be ranked. */
#include <string.h>

#include "support/fuzz.h"

enum { OTLP = 10, JAEGER = 11 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_import(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, memmem(data, size, "traceID", 7) ? JAEGER : OTLP);
	fuzz_must(stage_rank(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, 0) != 1);
	return 0;
}
