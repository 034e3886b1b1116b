/* run-features: runs out of system calls, in each of its ways; what comes is a stream of runs that run-cluster and run-rules read. */
#include "base/fail.h"
#include "event/event.h"
#include "run/run_build.h"
#include "support/fuzz.h"

static const struct way {
	const char *job;
	bool same_pairs, live, light;
} ways[] = {{"wget", false, false, false}, {NULL, false, false, false}, {"wget", true, true, false}, {"wget", false, true, true}, {NULL, false, false, true}};

static int record_seen(void *context, const struct record *record)
{
	if (run_builder_record(context, record) < 0)
		return -1;
	return record->kind == KIND_EVENT ? STREAM_DROP : STREAM_PASS;
}

static int stream_over(void *context)
{
	return run_builder_finish(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct way *way = &ways[fuzz_variant(data, size, sizeof(ways) / sizeof(ways[0]))];
	char *files[] = {(char *)fuzz_file(FUZZ_INPUT, data, size)};
	struct handlers handlers = {.finish = stream_over};
	struct run_options how = {.job = job_load(way->job), .same_pairs = way->same_pairs, .live = way->live, .light = way->light, .node = "n"};
	struct stream *stream = stream_open(files, 1);
	struct run_builder *builder;
	struct events *events;
	int status;

	stream_output(stream, fuzz_output(FUZZ_FIRST), size % 2);
	events = events_new(stream);
	builder = run_builder_new(stream, events, &how);
	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = record_seen;
	status = stream_finish(stream, &handlers, builder);
	run_builder_free(builder);
	events_free(events);
	job_free(how.job);
	if (status != 1)
		fuzz_must(stage_cat(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, true) != 1);
	return 0;
}
