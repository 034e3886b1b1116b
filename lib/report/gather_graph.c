/* From graph, node, edge, path and blame records to stories. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

int gather_graph(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct story *story;
	char *id, *window, *signal;

	if (!fields)
		return -1;
	moment_forget_graph(model);
	model->graph = graph_read_begin(fields);
	if (!model->graph)
		return gather_wrong(model);
	id = clean_field(fields, "id");
	window = clean_field(fields, "window");
	signal = clean_field(fields, "signal");
	story = moment_story(model, id, window);
	if (story) {
		story->kind = model->graph->kind;
		story->signal = *signal ? moment_find_signal(model, signal) : NULL;
		if (fields_time(fields, "from", &story->from) < 0 || fields_time(fields, "to", &story->to) < 0)
			story = NULL;
	}
	free(id);
	free(window);
	free(signal);
	return story ? STREAM_PASS : gather_wrong(model);
}

int gather_node(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);

	if (!fields)
		return -1;
	if (!model->graph || model->graph_ready)
		return stream_fail(model->stream, "a node record stands outside a graph");
	return graph_read_node(model->graph, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}

int gather_edge(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);

	if (!fields)
		return -1;
	if (!model->graph || model->graph_ready)
		return stream_fail(model->stream, "an edge record stands outside a graph");
	return graph_read_edge(model->graph, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}

/* The story that a path or blame record belongs to; one whose graph did not come begins here. NULL after fail(). */
static struct story *story_of(struct model *model, const char *graph)
{
	if (model->story && !strcmp(model->story->graph, graph))
		return model->story;
	moment_forget_graph(model);
	return moment_story(model, graph, "");
}

int gather_path(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct story *story;
	char *graph;

	if (!fields)
		return -1;
	graph = clean_field(fields, "graph");
	story = story_of(model, graph);
	free(graph);
	if (!story)
		return -1;
	return story_path(model, story, model->graph, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}

/* The ranker's total over all windows, which ends the last moment. */
static int overall_seen(struct model *model, const struct fields *fields)
{
	struct culprit culprit;

	if (culprit_read(model, &culprit, fields) < 0)
		return gather_wrong(model);
	*ARRAY_ADD(&model->overall) = culprit;
	return moment_close(model);
}

int gather_blame(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct story *story;
	char *graph;

	if (!fields)
		return -1;
	if (fields_is(fields, "graph", "total"))
		return overall_seen(model, fields);
	graph = clean_field(fields, "graph");
	story = story_of(model, graph);
	free(graph);
	if (!story)
		return -1;
	return story_blame(model, story, model->graph, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}
