/* Chart definitions, and the files that they include. An input is a chart; with #1 it is an included file. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "chart/chart.h"
#include "support/fuzz.h"

/* What a chart was made from makes the same chart again. */
static void check_definition(const struct chart *chart)
{
	struct chart *again = chart_parse(chart->definition, "again");

	fuzz_must(again);
	fuzz_must(!strcmp(again->definition, chart->definition) && again->count == chart->count);
	chart_free(again);
}

static struct chart *include(const uint8_t *data, size_t size)
{
	char *folder = memory_format("%s/charts", fuzz_folder()), *path = memory_format("%s/fuzz.context", folder);
	char *data_folder = getenv("TAILBLAME_DATA") ? memory_format("%s", getenv("TAILBLAME_DATA")) : NULL;
	struct chart *chart;
	FILE *file;

	mkdir(folder, 0700);
	file = fopen(path, "w");
	fuzz_must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
	setenv("TAILBLAME_DATA", fuzz_folder(), 1);
	chart = chart_parse("chart name=a\nstart event=a:b\nend event=a:c\ninclude name=fuzz\n", "fuzz");
	if (data_folder)
		setenv("TAILBLAME_DATA", data_folder, 1);
	else
		unsetenv("TAILBLAME_DATA");
	free(data_folder);
	unlink(path);
	rmdir(folder);
	free(path);
	free(folder);
	return chart;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_text((const char *)data, size);
	struct chart *chart = fuzz_variant(data, size, 2) ? include(data, size) : chart_parse(text, "fuzz");

	if (chart)
		check_definition(chart);
	chart_free(chart);
	free(text);
	return 0;
}
