/* The replay of wake graphs: with nothing taken as zero all is as it was, in each of the builder's golden graphs. */
#include <assert.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "blame/critical_path.h"
#include "blame/replay_wake.h"
#include "graph/graph_reader.h"

static int graphs;

/* Nobody's time shortens it by more than there is of it, and all of it by no more than all. */
static void check_deeds(struct wake_replay *replay, const struct graph *graph, uint64_t latency)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct deed *family = graph->nodes.items[i].deed->family;
		uint64_t time = 0, without;

		for (size_t j = 0; j < graph->nodes.count; j++)
			if (graph->nodes.items[j].deed->family == family)
				time += (uint64_t)(graph->nodes.items[j].end - graph->nodes.items[j].start);
		wake_replay_zero(replay, family, true);
		without = wake_replay_latency(replay);
		assert(without <= latency && latency - without <= time);
		wake_replay_zero(replay, family, false);
	}
	for (size_t i = 0; i < graph->nodes.count; i++)
		wake_replay_zero(replay, graph->nodes.items[i].deed->family, true);
	assert(wake_replay_latency(replay) <= latency);
}

static int check(void *context, struct graph *graph)
{
	struct wake_replay *replay;
	uint64_t latency;

	replay = wake_replay_new(graph, graph->target == NODE_NONE ? path_last_node(graph) : graph->target);
	latency = wake_replay_latency(replay);
	if (latency != (uint64_t)(graph->to - graph->from)) {
		fprintf(stderr, "%s: %llu, not %lld\n", (const char *)context, (unsigned long long)latency,
			(long long)(graph->to - graph->from));
		abort();
	}
	check_deeds(replay, graph, latency);
	wake_replay_free(replay);
	graph_free(graph);
	graphs++;
	return 0;
}

static struct graph_reader *reader;

static int see(void *context, const struct record *record)
{
	(void)context;
	return graph_reader_record(reader, record);
}

static int finish(void *context)
{
	(void)context;
	return graph_reader_end(reader);
}

static void check_file(char *path)
{
	struct handlers handlers = {.on = {[KIND_GRAPH] = see, [KIND_NODE] = see, [KIND_EDGE] = see}, .finish = finish};
	char *paths[1] = {path};
	struct stream *stream = stream_open(paths, 1);

	assert(stream);
	reader = graph_reader_new(stream, check, path);
	assert(stream_run(stream, &handlers, NULL) == 0);
	graph_reader_free(reader);
	stream_close(stream);
}

int main(void)
{
	glob_t found;

	assert(glob("testdata/wake/*.graph", 0, NULL, &found) == 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
	assert(graphs >= 40);
	return 0;
}
