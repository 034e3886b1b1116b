/* What run-* read besides streams: a table of comma-separated values, a job file, a server's log and its format. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/access_log.h"
#include "run/job.h"
#include "run/rules.h"
#include "support/fuzz.h"

static void read_table(const char *path)
{
	struct rule_options how = {{.max_depth = 3, .split = {.min_leaf = 2}}, 10};
	struct table *table = table_of_csv(path, "class");
	struct stream *output;
	size_t found;

	if (!table)
		return;
	output = stream_create();
	stream_output(output, fuzz_output(FUZZ_FIRST), true);
	rules_write(table, &how, output, &found);
	table_free(table);
	fuzz_must(stream_close(output) != 1);
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
}

static void read_job(const char *path)
{
	struct job *job = job_load(path);

	if (!job)
		return;
	fuzz_must(job->name && job_call_name(job, "read"));
	job_free(job);
}

/* The first line is the format, or its name, of all lines. */
static void read_log(const char *path, char *text)
{
	struct access_log_count count = {0};
	struct access_log *format;
	struct stream *output;
	char *rest = NULL, *first = strtok_r(text, "\n", &rest);

	if (!first || !(format = access_log_format(first)))
		return;
	output = stream_create();
	stream_output(output, fuzz_output(FUZZ_FIRST), true);
	fuzz_must(access_log_read(format, path, "j", output, &count) == 0 && count.strange <= count.lines);
	fuzz_must(stream_close(output) != 1);
	fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	access_log_free(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(FUZZ_INPUT, data, size);
	char *text = memory_text((const char *)data, size);

	read_table(path);
	read_job(path);
	read_log(path, text);
	free(text);
	return 0;
}
