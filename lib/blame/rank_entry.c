#include "blame/rank_entry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_record.h"
#include "graph/words.h"

static int compare_ranks(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;
	int order = share_compare(b->score, a->score);

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (!a->deed->doubt != !b->deed->doubt)
		return a->deed->doubt ? 1 : -1; /* never the first answer */
	if (order == 0 && a->deed->pipe != b->deed->pipe)
		return a->deed->pipe ? 1 : -1;
	return order ? order : deed_compare(a->deed, b->deed);
}

void rank_sort(struct rank_list *ranks)
{
	if (ranks->list.count)
		qsort(ranks->list.items, ranks->list.count, sizeof(struct rank_entry), compare_ranks);
}

static void spell_part(struct line *line, const char *key, uint64_t millionths)
{
	char part[48];

	snprintf(part, sizeof(part), "%" PRIu64 ".%06" PRIu64, millionths / 1000000, millionths % 1000000);
	line_text(line, key, part);
}

static void spell_label(struct line *line, const struct rank_entry *entry, const struct rank_whole *whole)
{
	char *label = entry->label ? NULL : words_label(&whole->graph->nodes.items[entry->node]);

	line_text(line, "label", entry->label ? entry->label : label);
	free(label);
}

static void spell(struct line *line, const struct rank_entry *entry, size_t rank, const struct rank_whole *whole)
{
	line_begin(line, "blame");
	line_text(line, "graph", whole->graph ? whole->graph->id : "total");
	line_unsigned(line, "rank", rank);
	line_text(line, "name", entry->deed->name);
	spell_label(line, entry, whole);
	line_time(line, "score", share_round(entry->score));
	spell_part(line, "share", share_millionths(entry->score, whole->duration));
	line_text(line, "on_path", entry->on_path ? "yes" : "no");
	line_unsigned(line, "instances", entry->instances);
}

static void spell_impact(struct line *line, const struct rank_entry *entry, const struct rank_whole *whole)
{
	double part = whole->waited > 0 ? entry->waited / whole->waited : 0;

	spell_part(line, "impact", (uint64_t)llround(part * 1e6));
	line_time(line, "waited", llround(fmin(entry->waited, 9e9) * 1e9));
}

static void spell_deed(struct line *line, const struct rank_entry *entry)
{
	struct node node = {.deed = entry->deed, .tid = entry->tid, .who_tid = entry->who_tid, .whom_tid = entry->whom_tid};

	if (entry->deed->kind != DEED_TEXT && node.tid)
		line_integer(line, "tid", node.tid);
	node_spell_deed(&node, line);
}

int rank_write(const struct rank_list *ranks, size_t count, const struct rank_whole *whole,
	       const struct ranking_options *options, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; i < ranks->list.count && i < count && !status; i++) {
		const struct rank_entry *entry = &ranks->list.items[i];

		spell(&line, entry, i + 1, whole);
		line_text(&line, "algorithm", options->algorithm->name);
		if (whole->graph && options->instances)
			line_integer(&line, "node", whole->graph->nodes.items[entry->node].id);
		if (!whole->graph && !options->algorithm->timeless)
			spell_impact(&line, entry, whole);
		spell_deed(&line, entry);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}
