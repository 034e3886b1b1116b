/*
 * A program that somebody runs: what is told of each of its addresses, which is a function that has a symbol, those that were inlined
 * there, and how to walk up; what a block of code there depends on, and which variable lies so far from it.
 */
#include <fcntl.h>
#include <string.h>

#include "program/image.h"
#include "support/fuzz.h"

enum { ADDRESSES = 256 };

/* The debug file of a program is somebody's too: it is the same one. */
static int open_debug(void *context, enum debug_place place, const void *text, size_t length)
{
	(void)context, (void)text, (void)length;
	return place == DEBUG_FOLDER || place == DEBUG_SHARED ? open(fuzz_path(FUZZ_INPUT), O_RDONLY) : -1;
}

static void ask(struct image *image, uint64_t offset)
{
	char *names[IMAGE_FUNCTIONS];
	struct image_block block;
	struct step step;
	uint64_t address, byte;
	int count;

	if (!image_address(image, offset, &address))
		return;
	image_step(image, address, &step);
	fuzz_must(!step.known || step.base < STEP_REGISTERS);
	count = image_functions(image, address, names);
	fuzz_must(count <= IMAGE_FUNCTIONS);
	for (int i = 0; i < count; i++) {
		fuzz_must(*names[i] || i == count - 1);
		free(names[i]);
	}
	for (uint64_t behind = 0; behind < 16; behind++) {
		image_block(image, offset, behind, &block);
		fuzz_must(comparison_is_sane(&block.comparison) && strlen(block.first) < IMAGE_LINE && strlen(block.branch) < IMAGE_LINE);
	}
	free(image_variable(image, offset, (int64_t)offset * 16, &byte));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct debug_source source = {.open = open_debug};
	struct image *image = image_new(open(fuzz_file(FUZZ_INPUT, data, size), O_RDONLY), "program", &source);
	size_t pace = size / ADDRESSES + 1;

	for (uint64_t offset = 0; offset < size; offset += pace)
		ask(image, offset);
	image_free(image);
	return 0;
}
