/*
 * stream-merge --wait: a host and, as another one, the rest of its stream from the middle on, so that each is behind the other. Time flies, so that the
 * clocks are found and records are written while both are read, if one of them takes more than one turn.
 */
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "clock/live.h"
#include "stream/stream.h"
#include "support/fuzz.h"

static void say(const char *sentence)
{
	fuzz_must(*sentence);
}

/* From the middle's next line on; of a stream that has no lines, all. */
static size_t middle(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data + size / 2, '\n', size - size / 2) : NULL;

	return end && *data != 0x89 ? (size_t)(end - data) + 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t steps[] = {NSEC_PER_SEC / 100, NSEC_PER_SEC / 1000, NSEC_PER_SEC};
	unsigned variant = fuzz_variant(data, size, 12);
	size_t from = middle(data, size);
	struct stream *stream = stream_create();
	struct live *live = live_new(variant & 1 ? 1 : 2 * NSEC_PER_SEC);
	char operands[2][64];
	int status;

	snprintf(operands[0], sizeof(operands[0]), "%s", fuzz_file(FUZZ_SECOND, data + from, size - from));
	snprintf(operands[1], sizeof(operands[1]), "b=%s", fuzz_file(FUZZ_INPUT, data, size));
	fuzz_time(steps[variant / 4]);
	stream_output(stream, fuzz_output(FUZZ_FIRST), false);
	status = live_open(live, operands[0]) < 0 || live_open(live, operands[1]) < 0 ? -1 : live_run(live, variant & 2 ? "b" : NULL, stream, say);
	fuzz_time(0);
	live_free(live);
	if (status < 0)
		stream_mark_cut(stream);
	status = stream_close(stream) == 1 ? -1 : status;
	if (status == 0)
		fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_THIRD, true) != 1);
	return 0;
}
