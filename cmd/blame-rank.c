/*
 * blame-rank: find the critical path of each graph and rank who is to blame.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "blame/comparison.h"
#include "blame/ranked_moments.h"
#include "event/event.h"
#include "calls/graph_builder.h"
#include "graph/graph_reader.h"
#include "graph/graph_record.h"
#include "stream/stage.h"

static uint64_t count = 5, worst = 3;
static const char *algorithm; /* NULL: `exception` for graphs of what was thrown, `critical` for all others */
static const char *semantics_file;
static struct semantics semantics;
static bool instances, diff, as_text;

static const struct option_entry option_table[] = {
	{OPTION_COUNT, 'n', "count", &count, "N", "blame the N most blamed of each graph (default 5)"},
	{OPTION_STRING, 'a', "algorithm", &algorithm, "ALGORITHM", .names = blame_algorithm_name},
	{OPTION_FLAG, 0, "instances", &instances, NULL, "list instances one by one, not names"},
	{OPTION_COUNT, 0, "worst", &worst, "N", "if the input has no graphs: build them for the N worst signals of a window (default 3)"},
	{OPTION_STRING, 0, "semantics", &semantics_file, "FILE", "if the input has no graphs: what you know of the program (tailblame-semantics(5))"},
	{OPTION_FLAG, 0, "diff", &diff, NULL, "compare two streams, GOOD and BAD: what is blamed more in BAD"},
	OPTION_TEXT(&as_text),
	{0},
};

/* Device records, each once, because nodes have only device numbers. */
struct device_records {
	ARRAY(char *) lines;
};

struct ranker {
	char *const *files; /* all operands */
	int files_count;
	struct stream *stream;
	struct ranker *next; /* the ranker of another host of the stream */
	struct events *events;
	struct graph_reader *reader;
	struct graph_builder *builder;
	struct ranking_options options;
	struct ranking_total *total; /* of the current stream */
	struct comparison *comparison; /* gets the stream's moments; NULL: without --diff */
	enum comparison_side side;
	struct ranked_moments *ranked; /* reads the moments of streams that hold a ranking without nodes */
	bool is_told;	   /* the current stream is such a stream: its ranking passes unchanged */
	char *host;	   /* of the current stream */
	struct device_records *devices; /* with --diff: those of both streams */
};

static int rank_graph(void *context, struct graph *graph)
{
	struct ranker *ranker = context;
	int status = ranking_graph(graph, &ranker->options, ranker->total, ranker->stream);

	graph_free(graph);
	return status;
}

static int rank_built_graph(void *context, struct graph *graph)
{
	struct ranker *ranker = context;

	if (graph_write(graph, ranker->stream) == 0)
		return rank_graph(context, graph);
	graph_free(graph);
	return -1;
}

static int count_waiting(struct ranker *ranker, const struct record *record)
{
	const struct fields *fields;

	if (record->kind != KIND_SIGNAL && record->kind != KIND_WINDOW)
		return 0;
	fields = stream_fields(ranker->stream, record);
	if (!fields)
		return -1;
	if (record->kind == KIND_WINDOW)
		ranking_total_window(ranker->total, fields);
	else if (ranking_total_signal(ranker->total, fields) < 0)
		return stream_fail(ranker->stream, "%s", fail_text());
	return 0;
}

/* BAD is read last, so its names win if both streams have the same device number. */
static void keep_device(struct ranker *ranker, const struct record *record)
{
	size_t i;

	for (i = ranker->devices->lines.count; i-- > 0;)
		if (strlen(ranker->devices->lines.items[i]) == record->length &&
		    !memcmp(ranker->devices->lines.items[i], record->text, record->length))
			return;
	*ARRAY_ADD(&ranker->devices->lines) = memory_text(record->text, record->length);
}

static int other_seen(void *context, const struct record *record)
{
	struct ranker *ranker = context;

	if (ranker->comparison && record->kind == KIND_DEVICE)
		keep_device(ranker, record);
	if (ranker->is_told)
		return STREAM_PASS;
	if (graph_reader_record(ranker->reader, record) < 0 || count_waiting(ranker, record) < 0 ||
	    graph_builder_record(ranker->builder, record) < 0)
		return -1;
	return STREAM_PASS;
}

static int stream_seen(void *context, const struct record *record)
{
	struct ranker *ranker = context;
	const struct fields *fields = stream_fields(ranker->stream, record);

	if (!fields)
		return -1;
	free(ranker->host);
	ranker->host = fields_copy(fields, "host");
	ranker->is_told = fields_find(fields, "moments") != NULL;
	return other_seen(context, record);
}

static int told_seen(struct ranker *ranker, const struct record *record)
{
	const struct fields *fields = stream_fields(ranker->stream, record);

	if (!fields)
		return -1;
	if (ranker->comparison && (record->kind == KIND_GRAPH ? ranked_moments_graph : ranked_moments_blame)(ranker->ranked, fields) < 0)
		return stream_fail(ranker->stream, "%s", fail_text());
	return STREAM_PASS;
}

static int graph_seen(void *context, const struct record *record)
{
	struct ranker *ranker = context;

	return ranker->is_told ? told_seen(ranker, record) : other_seen(context, record);
}

/* Nearly all records are events, so their handler does only what they need. */
static int event_seen(void *context, const struct record *record)
{
	struct ranker *ranker = context;

	if (graph_reader_record(ranker->reader, record) < 0 || graph_builder_record(ranker->builder, record) < 0)
		return -1;
	return STREAM_PASS;
}

/* Drops the records of an earlier ranking. */
static int ranking_seen(void *context, const struct record *record)
{
	struct ranker *ranker = context;

	if (ranker->is_told)
		return record->kind == KIND_BLAME ? told_seen(ranker, record) : STREAM_PASS;
	return graph_reader_record(ranker->reader, record) < 0 ? -1 : STREAM_DROP;
}

static void moment_over(void *context, enum graph_kind kind, const struct moment_share *shares, size_t shares_count)
{
	struct ranker *ranker = context;

	if (ranker->comparison)
		comparison_moment(ranker->comparison, ranker->side, ranker->host ? ranker->host : "", kind, shares, shares_count);
}

static int stream_over(void *context)
{
	struct ranker *ranker = context;
	int status = graph_reader_end(ranker->reader);

	if (status == 0)
		status = graph_builder_finish(ranker->builder);
	if (status == 0)
		status = ranking_total_write(ranker->total, &ranker->options, ranker->stream);
	ranked_moments_over(ranker->ranked);
	ranking_total_free(ranker->total);
	ranker->total = ranking_total_new(moment_over, ranker);
	return status;
}

/* Confines the command once; confinement lets it open the second stream of --diff for reading. */
static void confine_once(const struct ranker *ranker)
{
	static bool confined;

	if (!confined)
		confine(CONFINE_NOTHING_ELSE, NULL, ranker->files, ranker->files_count);
	confined = true;
}

/* Makes the parts of a ranker and attaches them to the stream. -1 after fail(). */
static int open_parts(struct ranker *ranker)
{
	ranker->options.events = ranker->events = events_new(ranker->stream);
	ranker->reader = graph_reader_new(ranker->stream, rank_graph, ranker);
	ranker->total = ranking_total_new(moment_over, ranker);
	ranker->ranked = ranked_moments_new(moment_over, ranker);
	ranker->is_told = false;
	ranker->builder = graph_builder_new(ranker->stream, ranker->events, (int)worst);
	if (!ranker->builder)
		return -1;
	graph_builder_sink(ranker->builder, rank_built_graph, ranker);
	graph_builder_semantics(ranker->builder, &semantics);
	return 0;
}

static void close_parts(struct ranker *ranker)
{
	graph_builder_free(ranker->builder);
	ranked_moments_free(ranker->ranked);
	free(ranker->host);
	ranker->host = NULL;
	ranking_total_free(ranker->total);
	graph_reader_free(ranker->reader);
	events_free(ranker->events);
}

/* Makes the ranker of another host of the stream. NULL after fail(). */
static void *another_ranker(void *context)
{
	struct ranker *first = context, *ranker = NEW(struct ranker);

	*ranker = *first;
	ranker->host = NULL;
	first->next = ranker;
	return open_parts(ranker) < 0 ? NULL : ranker;
}

static void complain(const struct ranker *ranker)
{
	for (; ranker; ranker = ranker->next)
		if (graph_builder_complaint(ranker->builder))
			warn("%s", graph_builder_complaint(ranker->builder));
}

static void close_others(struct ranker *ranker)
{
	struct ranker *other;

	while ((other = ranker->next)) {
		ranker->next = other->next;
		close_parts(other);
		free(other);
	}
}

/* Ranks these files. --diff needs only the moments, so it ranks without output. Returns the exit status. */
static int rank(struct ranker *ranker, char *const *files, int files_count, bool output)
{
	struct handlers handlers = {.finish = stream_over, .host = another_ranker};
	int status;

	/* open */
	ranker->stream = stream_open(files, files_count);
	if (!ranker->stream)
		die("%s", fail_text());
	stage_lets_others_first(ranker->stream);
	if (output)
		stream_output(ranker->stream, STDOUT_FILENO, as_text);
	if (open_parts(ranker) < 0)
		die("%s", fail_text());
	confine_once(ranker);

	/* rank */
	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = other_seen;
	handlers.on[KIND_STREAM] = stream_seen;
	handlers.on[KIND_GRAPH] = graph_seen;
	handlers.on[KIND_EVENT] = event_seen;
	handlers.on[KIND_PATH] = handlers.on[KIND_BLAME] = ranking_seen;
	status = stream_finish(ranker->stream, &handlers, ranker);
	if (status && *fail_text())
		warn("%s", fail_text());
	complain(ranker);

	/* close */
	close_others(ranker);
	close_parts(ranker);
	return status;
}

static int write_devices(const struct ranker *ranker, struct stream *stream)
{
	int status = 0;

	for (size_t i = 0; i < ranker->devices->lines.count && status == 0; i++) {
		char *line = ranker->devices->lines.items[i];
		struct record record = {.kind = KIND_DEVICE, .text = line, .length = strlen(line)};

		status = stream_write_record(stream, &record);
	}
	return status;
}

static int write_comparison(const struct ranker *ranker, bool incomplete)
{
	struct stream *stream = stream_create();
	int status;

	stream_output(stream, STDOUT_FILENO, as_text);
	if (incomplete)
		stream_mark_incomplete(stream);
	if (write_devices(ranker, stream) == 0)
		comparison_write(ranker->comparison, &ranker->options, stream); /* if this fails, stream_close() fails too */
	status = stream_close(stream);
	if (status == EXIT_FAILED)
		warn("%s", fail_text());
	return status;
}

static int compare(struct ranker *ranker, char *const *files)
{
	struct device_records *devices = NEW(struct device_records);
	int status = EXIT_DONE;

	ranker->devices = devices;
	ranker->comparison = comparison_new();
	for (int i = 0; i < 2 && status != EXIT_FAILED; i++) {
		int this_status;

		ranker->side = i ? SIDE_BAD : SIDE_GOOD;
		this_status = rank(ranker, &files[i], 1, false);
		if (this_status)
			status = this_status;
	}
	if (status != EXIT_FAILED && comparison_check(ranker->comparison) < 0) {
		warn("%s", fail_text());
		status = EXIT_FAILED;
	}
	if (status != EXIT_FAILED)
		status = write_comparison(ranker, status == EXIT_INCOMPLETE);
	for (size_t i = 0; i < devices->lines.count; i++)
		free(devices->lines.items[i]);
	free(devices->lines.items);
	free(devices);
	comparison_free(ranker->comparison);
	return status;
}

static void parse(struct ranker *ranker, int *argc, char ***argv)
{
	int first = command_line(*argc, *argv, option_table, "[FILE...] | --diff GOOD BAD",
				 "rank who is to blame for abnormal moments");

	*argc -= first;
	*argv += first;
	ranker->options.algorithm = blame_algorithm(algorithm ? algorithm : "critical");
	ranker->options.of_thrown = blame_algorithm(algorithm ? algorithm : "exception");
	if (!ranker->options.algorithm)
		die_usage("%s", fail_text());
	if (count == 0)
		die_usage("-n must be at least 1");
	if (worst == 0 || worst > INT_MAX)
		die_usage("--worst must be from 1 to %d", INT_MAX);
	if (diff && *argc != 2)
		die_usage("--diff compares two files, GOOD and BAD");
	ranker->options.count = count;
	ranker->options.instances = instances;
}

int main(int argc, char **argv)
{
	struct ranker ranker = {0};
	int status;

	parse(&ranker, &argc, &argv);
	if (semantics_choose(&semantics, semantics_file) < 0)
		die("%s", fail_text());
	ranker.files = argv;
	ranker.files_count = argc;
	interrupt_defer();
	status = diff ? compare(&ranker, argv) : rank(&ranker, argv, argc, true);
	semantics_free(&semantics);
	return status;
}
