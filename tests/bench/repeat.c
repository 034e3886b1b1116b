/*
 * repeat: a long stream from a short one, for benchmarks. The events of the input are written again and again, each
 * time later by the length of the input, until there are COUNT of them; what describes them (formats, tasks, devices,
 * charts) comes once, before them. With SECONDS only the first seconds of the input are used.
 *
 *	repeat COUNT [SECONDS] <in >out
 */
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "stream/stream.h"

struct repeat {
	struct stream *stream;
	uint64_t count;
	int64_t length; /* nanoseconds of the input to use */
	ARRAY(struct record) events;
};

static int drop(void *context, const struct record *record)
{
	(void)context;
	(void)record;
	return STREAM_DROP;
}

static int keep_event(void *context, const struct record *record)
{
	struct repeat *repeat = context;

	if (!record->packed)
		return stream_fail(repeat->stream, "events must be binary");
	if (repeat->events.count > 0 && record->ts - repeat->events.items[0].ts >= repeat->length)
		return STREAM_DROP;
	struct record *kept = ARRAY_ADD(&repeat->events);
	*kept = *record;
	kept->text = memory_text(record->text, record->length);
	return STREAM_DROP;
}

static int write_events(void *context)
{
	struct repeat *repeat = context;
	size_t many = repeat->events.count;

	if (many < 2)
		return fail("standard input has no events to repeat");
	int64_t first = repeat->events.items[0].ts, last = repeat->events.items[many - 1].ts;
	int64_t period = last - first + (last - first) / (int64_t)many + 1;

	for (uint64_t n = 0; n < repeat->count; n++) {
		struct record event = repeat->events.items[n % many];

		event.ts += (int64_t)(n / many) * period;
		if (stream_write_record(repeat->stream, &event) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option_entry options[] = {{0}};
	struct repeat repeat = {.length = INT64_MAX};
	struct handlers handlers = {.finish = write_events};
	int first = command_line(argc, argv, options, "COUNT [SECONDS]", "a long stream from a short one");

	/* parse */
	if (argc - first < 1 || argc - first > 2)
		die_usage("one or two operands are needed");
	if (number_count(argv[first], strlen(argv[first]), &repeat.count) < 0 ||
	    (argv[first + 1] && number_duration(argv[first + 1], strlen(argv[first + 1]), &repeat.length) < 0))
		die_usage("%s", fail_text());

	/* open */
	repeat.stream = stream_open(NULL, 0);
	if (!repeat.stream)
		die("%s", fail_text());
	stream_output(repeat.stream, STDOUT_FILENO, false);
	handlers.on[KIND_EVENT] = keep_event;
	handlers.on[KIND_LOST] = handlers.on[KIND_TICK] = handlers.on[KIND_USAGE] = drop;

	/* run */
	if (stream_run(repeat.stream, &handlers, &repeat) < 0)
		die("%s", fail_text());
	return stream_close(repeat.stream);
}
