/* span-build: the command itself, without its main(). The graphs that come of it are sound: they can be ranked. */
#include "event/event.h"
#include "span/requests.h"
#include "support/fuzz.h"

static int take(void *context, const struct record *record)
{
	return requests_record(context, record) < 0 ? -1 : STREAM_DROP;
}

static int finish(void *context)
{
	return requests_write(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *files[] = {(char *)fuzz_file(FUZZ_INPUT, data, size)};
	struct handlers handlers = {.finish = finish, .hosts = true};
	struct stream *stream = stream_open(files, 1);
	struct requests *requests;
	struct events *events;

	stream_output(stream, fuzz_output(FUZZ_FIRST), true);
	events = events_new(stream);
	requests = requests_new(stream, events);
	for (int kind = 0; kind < KINDS; kind++)
		if (requests_reads(kind))
			handlers.on[kind] = take;
	if (stream_finish(stream, &handlers, requests) != 1)
		fuzz_must(stage_rank(fuzz_path(FUZZ_FIRST), FUZZ_SECOND, 0) != 1);
	requests_free(requests);
	events_free(events);
	return 0;
}
