/* From graph, node, edge, path and blame records to stories. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

static const struct node *subject_node(const struct graph *graph)
{
	int32_t index = graph->target != NODE_NONE ? graph->target : graph->root;

	return index == NODE_NONE ? NULL : &graph->nodes.items[index];
}

/* Whose story it is: the root's, by name and label; in a wake graph the thread that was made to wait. */
static char *subject_of(const struct graph *graph)
{
	const struct node *node = subject_node(graph);
	const char *name;

	if (!node)
		return memory_format("%s", "");
	if (graph->kind == GRAPH_WAKE)
		return words_cleaned(words_row(node));
	name = node->deed->name;
	if (!node->label || !strncmp(node->label, name, strlen(name)))
		return words_clean(node->label ? node->label : name);
	return words_cleaned(memory_format("%s %s", name, node->label));
}

static char *subject_name(const struct graph *graph)
{
	const struct node *node = graph->kind == GRAPH_WAKE ? subject_node(graph) : NULL;

	return node ? words_cleaned(words_row_name(node)) : subject_of(graph);
}

/* Where a record does not tell what its device is called, the stream may. */
static void name_disks(const struct model *model, struct graph *graph)
{
	char name[64];

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];
		struct deed_detail detail = node->detail ? *node->detail : DEED_DETAIL_NONE;

		if (!node->deed->dev || detail.disk)
			continue;
		detail.disk = model_device_name(model, node->deed->dev, name, sizeof(name));
		graph_detail(graph, (int32_t)i, &detail);
	}
}

int gather_whole_graph(void *context, struct graph *graph)
{
	struct model *model = context;
	struct story *story;
	char *window = words_clean(graph->window ? graph->window : ""),
	     *signal = words_clean(graph->signal ? graph->signal : "");

	/* A story begins by ending the one before, with its graph. */
	story = moment_story(model, graph->id, window);
	if (!story) {
		graph_free(graph);
	} else {
		model->graph = graph;
		story->kind = graph->kind;
		story->from = time_bounded(graph->from);
		story->to = time_bounded(graph->to);
		story->signal = *signal ? moment_find_signal(model, signal) : NULL;
		free(story->root);
		free(story->root_name);
		name_disks(model, graph);
		story->root = subject_of(graph);
		story->root_name = subject_name(graph);
	}
	free(window);
	free(signal);
	return story ? 0 : -1;
}

int gather_graph(void *context, const struct record *record)
{
	struct model *model = context;

	model->records++;
	/* A moment without window has one graph. */
	if (record->kind == KIND_GRAPH && model->moment && !model->moment->window && moment_close(model) < 0)
		return -1;
	return graph_reader_record(model->reader, record);
}

/* The story that a path or blame record belongs to; one whose graph did not come begins here. NULL after fail(). */
static struct story *story_of(struct model *model, const struct fields *fields)
{
	char *graph = clean_field(fields, "graph");
	struct story *story = model->story;

	if (!story || strcmp(story->graph, graph))
		story = moment_story(model, graph, "");
	free(graph);
	return story;
}

int gather_path(void *context, const struct record *record)
{
	struct model *model = context;
	const struct fields *fields = gather_fields(model, record);
	struct story *story = fields ? story_of(model, fields) : NULL;

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

	if (!fields)
		return -1;
	if (fields_is(fields, "graph", "total"))
		return overall_seen(model, fields);
	story = story_of(model, fields);
	if (!story)
		return -1;
	return story_blame(model, story, model->graph, fields) < 0 ? gather_wrong(model) : STREAM_PASS;
}

const struct story *moment_companion(const struct moment *moment, const struct story *story)
{
	for (size_t i = 0; story->signal && i < moment->stories.count; i++) {
		const struct story *other = moment->stories.items[i];

		if (other != story && other->signal == story->signal && other->kind == GRAPH_RAG &&
		    story->kind == GRAPH_WAKE)
			return other;
	}
	return NULL;
}

bool moment_is_companion(const struct moment *moment, const struct story *story)
{
	for (size_t i = 0; i < moment->stories.count && moment->stories.items[i] != story; i++)
		if (moment_companion(moment, moment->stories.items[i]) == story)
			return true;
	return false;
}
