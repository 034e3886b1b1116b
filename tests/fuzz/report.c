/* report: signals, graphs, paths and blame in words, JSON and a page. */
#include <unistd.h>

#include "base/memory.h"
#include "support/fuzz.h"

/* The page goes to a file of its own. */
static void check_page(void)
{
	char *path = memory_format("%s/report.html", fuzz_folder()), text[4096];
	FILE *page = fopen(path, "r");
	int output = fuzz_output(FUZZ_SECOND);
	size_t length;

	while (page && (length = fread(text, 1, sizeof(text), page)) > 0)
		fuzz_must(write(output, text, length) == (ssize_t)length);
	if (page)
		fclose(page);
	unlink(path);
	free(path);
	check_report(FUZZ_SECOND, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned variant = fuzz_variant(data, size, REPORTS);

	stage_report(fuzz_file(FUZZ_INPUT, data, size), FUZZ_FIRST, variant);
	if (variant == 2)
		check_page();
	else
		check_report(FUZZ_FIRST, variant);
	return 0;
}
