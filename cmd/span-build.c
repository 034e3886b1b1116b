/*
 * span-build: find requests and their answers in what connections carried: spans, and who called whom.
 */
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "blame/thread_past.h"
#include "event/event.h"
#include "span/requests.h"
#include "stream/stage.h"

static struct option_list files;
static bool as_text;

static const struct option_entry options[] = {
	{OPTION_LIST, 's', "states", &files, "FILE", "a state file, or the name of one that is shipped, whose unit, call and dispatch lines count"},
	OPTION_TEXT(&as_text),
	{0},
};

struct building {
	struct requests *requests;
	struct thread_past *past; /* who held up threads, where the stream tells how they were woken */
};

/* Drops records that name thread or device numbers of one host: the output has no events that these names belong to. */
static int record_seen(void *context, const struct record *record)
{
	const struct building *building = context;

	if (requests_reads(record->kind) && requests_record(building->requests, record) < 0)
		return -1;
	if (thread_past_reads(record->kind) && thread_past_record(building->past, requests_host(building->requests), record) < 0)
		return -1;
	return record->kind == KIND_STREAM || record->kind == KIND_LOST ? STREAM_PASS : STREAM_DROP;
}

static int stream_over(void *context)
{
	const struct building *building = context;
	int status = requests_write(building->requests);

	thread_past_forget(building->past);
	return status;
}

static void complain(const struct requests *requests)
{
	const struct requests_counts *counts = requests_counts(requests);

	if (counts->blind)
		warn("which request a call belongs to cannot be told where the stream does not tell how threads wait; record with trace-collect -s requests");
	if (!counts->spans)
		warn("no connection that began in the trace carried a request; trace-collect -s requests collects what is needed");
}

int main(int argc, char **argv)
{
	static const enum kind unnamed[] = {KIND_DEVICE, KIND_FILE, KIND_QUOTA, KIND_TRACED, KIND_STACK, KIND_TIMER, KIND_SYMBOL,
					    KIND_PRINTK, KIND_STAGE, KIND_CHART};
	int first = command_line(argc, argv, options, "[FILE...]", "find requests and their answers in what connections carried");
	struct handlers handlers = {.finish = stream_over, .hosts = true};
	struct building building;
	struct events *events;
	struct stream *stream;
	int status, failed;

	/* open */
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stage_lets_others_first(stream);
	stream_output(stream, STDOUT_FILENO, as_text);
	stream_report_usage(stream, "span-build");
	interrupt_defer();
	events = events_new(stream);
	building = (struct building){requests_new(stream, events), thread_past_new(stream, events)};
	if (!building.past)
		die("%s", fail_text());
	requests_activity_source(building.requests, (struct activity_source){thread_past_tell, building.past});
	for (int i = 0; i < files.count; i++) {
		struct state_file *file = state_file_load(files.items[i], events);

		if (!file)
			die("%s", fail_text());
		requests_states(building.requests, file);
	}
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* build */
	for (int kind = 0; kind < KINDS; kind++)
		if (requests_reads(kind) || thread_past_reads(kind))
			handlers.on[kind] = record_seen;
	for (size_t i = 0; i < sizeof(unnamed) / sizeof(unnamed[0]); i++)
		handlers.on[unnamed[i]] = record_seen;
	failed = stream_run(stream, &handlers, &building) < 0 || stream_flush(stream) < 0 ? -1 : 0;
	if (failed < 0)
		warn("%s", fail_text());
	else if (!stream_output_closed(stream))
		complain(building.requests);
	status = stream_close(stream);
	if (failed == 0 && status && *fail_text())
		warn("%s", fail_text());

	/* close */
	requests_free(building.requests);
	thread_past_free(building.past);
	events_free(events);
	return failed < 0 ? EXIT_FAILED : status;
}
