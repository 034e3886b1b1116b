/* trace-import. */
#include <fcntl.h>

#include "event/event.h"
#include "fuzz.h"
#include "import/import.h"

int stage_import(const char *path, int output, unsigned variant)
{
	static const char *const formats[IMPORTS] = {NULL, NULL, NULL, "ftrace", "systrace", "perf", NULL, "strace", "strace", "ctf", "otlp", "jaeger"};
	static const struct import_event wanted[] = {
		{"sched:sched_*", "next_comm ~ \"*a*\" || prio > 5 && CPU != 1 || COMM == \"b\" && !(common_flags & 1)"}, {"block:*", NULL, true}};
	bool merge = variant == 6 || variant == 8;
	struct import_options how = {.format = formats[variant], .instances = variant == 1, .merge = merge};
	struct stream *stream = stream_create();
	struct import *import;
	struct events *names;
	int failed;

	stream_output(stream, fuzz_output(output), variant & 1);
	names = how.names = events_new(stream);
	stream_report_usage(stream, "trace-import");
	import = import_new(stream, &how);
	fuzz_must(import && (variant != 2 || import_only(import, wanted, 2) == 0));
	failed = import_file(import, path) < 0 || (merge && import_file(import, path) < 0) || import_end(import) < 0;
	for (size_t i = 0; i < import_note_count(import); i++)
		fuzz_must(import_note(import, i));
	import_free(import);
	fuzz_must(stream_close(stream) != 1);
	events_free(names);
	return failed ? 1 : 0;
}
