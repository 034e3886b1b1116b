/* A page of the kernel's ring buffer. Every event lies within it. */
#include "source/page.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	struct page page;
	size_t events = 0;

	page_load(&page, bytes, size);
	while (page_next(&page)) {
		fuzz_must(page.payload >= bytes && page.size <= size && page.payload + page.size <= bytes + size);
		fuzz_must(++events <= size);
	}
	return 0;
}
