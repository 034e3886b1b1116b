#include "blame/rank_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_ranks(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;
	int order = share_compare(b->score, a->score);

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return order ? order : strcmp(a->name, b->name);
}

void rank_sort(struct rank_list *ranks)
{
	if (ranks->list.count)
		qsort(ranks->list.items, ranks->list.count, sizeof(struct rank_entry), compare_ranks);
}

static void spell(struct line *line, const struct rank_entry *entry, size_t rank, const struct graph *graph,
		  uint64_t duration)
{
	uint64_t millionths = share_millionths(entry->score, duration);
	char ratio[48];

	snprintf(ratio, sizeof(ratio), "%" PRIu64 ".%06" PRIu64, millionths / 1000000, millionths % 1000000);
	line_begin(line, "blame");
	line_text(line, "graph", graph ? graph->id : "total");
	line_unsigned(line, "rank", rank);
	line_text(line, "name", entry->name);
	line_text(line, "label", entry->label);
	line_time(line, "score", share_round(entry->score));
	line_text(line, "share", ratio);
	line_text(line, "on_path", entry->on_path ? "yes" : "no");
	line_unsigned(line, "instances", entry->instances);
}

int rank_write(const struct rank_list *ranks, size_t count, const struct graph *graph, uint64_t duration,
	       const struct ranking_options *options, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; i < ranks->list.count && i < count && !status; i++) {
		const struct rank_entry *entry = &ranks->list.items[i];

		spell(&line, entry, i + 1, graph, duration);
		line_text(&line, "algorithm", options->algorithm->name);
		if (graph && options->instances)
			line_integer(&line, "node", graph->nodes.items[entry->node].id);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}
