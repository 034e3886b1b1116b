/* graph-build and blame-rank: the commands themselves, without their main(). */
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/file.h"
#include "graph/graph_record.h"
#include "fuzz.h"

static int output_fd;

#undef STDOUT_FILENO
#define STDOUT_FILENO output_fd
#define warn(...) ((void)0)
#define confine(needs, place, files, count) ((void)(files)) /* a fuzzer writes its inputs in between */
#define main rank_main
int rank_main(int argc, char **argv);
#include "../../../cmd/blame-rank.c"
#undef main

static const struct rank_variant {
	const char *algorithm;
	uint64_t count, worst;
	bool instances, diff;
} variants[RANKS] = {
	{"critical", 5, 3, false, false}, {"npt", 5, 3, false, false}, {"tcm", 5, 3, false, false},
	{"ilz", 5, 3, false, false}, {"exception", 5, 3, false, false}, {"wanted", 5, 3, false, false},
	{"critical", 1, 1, true, false}, {"npt", 1000, 100, true, false}, {"ilz", 100, 1, true, false},
	{"critical", 5, 3, false, true}, {"wanted", 5, 3, true, true}, {"tcm", 2, 3, true, false},
};

/* The second half of a file, to be compared with the whole. */
static char *second_half(const char *path)
{
	size_t length;
	char *text = file_read(path, &length), *newline = text ? memchr(text + length / 2, '\n', length - length / 2) : NULL;
	char *from = newline ? newline + 1 : text;

	fuzz_must(text);
	fuzz_file(FUZZ_THIRD, from, length - (size_t)(from - text));
	free(text);
	return (char *)fuzz_path(FUZZ_THIRD);
}

int stage_rank(const char *path, int output, unsigned variant)
{
	const struct rank_variant *v = &variants[variant];
	struct ranker ranker = {0};
	char *files[] = {(char *)path, v->diff ? second_half(path) : NULL};

	output_fd = fuzz_output(output);
	as_text = variant & 1;
	worst = v->worst;
	ranker.options = (struct ranking_options){
		.algorithm = blame_algorithm(v->algorithm), .of_thrown = blame_algorithm("exception"), .count = v->count, .instances = v->instances};
	fuzz_must(ranker.options.algorithm != NULL);
	return v->diff ? compare(&ranker, files) : rank(&ranker, files, 1, true);
}

static int write_built(void *context, struct graph *graph)
{
	int status = graph_write(graph, context);

	graph_free(graph);
	return status;
}

static int build_record(void *context, const struct record *record)
{
	return graph_builder_record(context, record) < 0 ? -1 : STREAM_PASS;
}

static int build_over(void *context)
{
	return graph_builder_finish(context);
}

int stage_build(const char *path, int output, unsigned variant)
{
	static const enum graphs kinds[BUILDS] = {GRAPHS_ALL, GRAPHS_WAKE, GRAPHS_RAG};
	char *files[] = {(char *)path};
	struct handlers handlers = {.finish = build_over};
	struct stream *stream = stream_open(files, 1);
	struct events *events;
	struct graph_builder *builder;
	int status;

	stream_output(stream, fuzz_output(output), variant & 1);
	events = events_new(stream);
	builder = graph_builder_new(stream, events, 3);
	graph_builder_sink(builder, write_built, stream);
	graph_builder_kinds(builder, kinds[variant]);
	graph_builder_reads(&handlers, build_record);
	status = stream_finish(stream, &handlers, builder);
	graph_builder_free(builder);
	events_free(events);
	return status;
}
