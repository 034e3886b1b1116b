#include "blame/ranking.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/number.h"
#include "blame/rank_entry.h"
#include "graph/family.h"
#include "graph/graph_record.h"

static void drop_blameless(struct choices *choices)
{
	size_t kept = 0;

	for (size_t i = 0; i < choices->list.count; i++)
		if (!share_is_zero(choices->list.items[i].score))
			choices->list.items[kept++] = choices->list.items[i];
	choices->list.count = kept;
}

static struct rank_entry entry_of(const struct blame *blame, const struct choice *choice)
{
	const struct node *node = &blame->graph->nodes.items[choice->node];

	return (struct rank_entry){
		.deed = node->deed,
		.tid = node->tid,
		.who_tid = node->who_tid,
		.whom_tid = node->whom_tid,
		.turn = choice->turn,
		.score = choice->score,
		.best = choice->score,
		.node = choice->node,
		.on_path = blame->on_path[choice->node],
		.instances = 1,
	};
}

/* Another instance of the name, with no more blame than the first, but where that was chosen in an earlier turn. */
static void merge(const struct blame *blame, struct rank_entry *entry, const struct choice *choice)
{
	entry->instances++;
	entry->on_path |= blame->on_path[choice->node];
	if (blame->graph->kind == GRAPH_WAKE) {
		entry->score = share_plus(entry->score, choice->score);
	} else if (share_compare(choice->score, entry->best) > 0) {
		entry->score = entry->best = choice->score;
		entry->node = choice->node;
	}
}

/* Of a deed of a family: for how long it was done, in the whole graph. */
struct holding {
	const struct deed *deed;
	double time;
	UT_hash_handle hh;
};

static struct holding *find_holdings(const struct graph *graph)
{
	struct holding *holdings = NULL, *holding;

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->deed->kind != DEED_HOLD_CPU)
			continue;
		HASH_FIND_PTR(holdings, &node->deed, holding);
		if (!holding) {
			holding = NEW(struct holding);
			holding->deed = node->deed;
			HASH_ADD_PTR(holdings, deed, holding);
		}
		holding->time += (double)(node->end - node->start);
	}
	return holdings;
}

/* Whoever kept several threads from several CPUs has one deed for it, to be blamed for all of it: what is true of nearly all. */
static const struct deed *joined_deed(struct graph *graph, const struct holding *holdings, const struct deed *deed)
{
	struct family family = {0};
	const struct deed *joined;
	struct deed *sum;

	for (; holdings; holdings = holdings->hh.next)
		if (holdings->deed->family == deed->family)
			family_add(&family, holdings->deed, holdings->time);
	sum = family_deed(&family);
	joined = graph_deed(graph, sum);
	family_free(&family);
	free(sum);
	return joined;
}

static void join_families(struct rank_list *ranks, struct graph *graph)
{
	struct holding *holdings = find_holdings(graph), *holding, *next;

	for (size_t i = 0; holdings && i < ranks->list.count; i++)
		if (ranks->list.items[i].deed->kind == DEED_HOLD_CPU)
			ranks->list.items[i].deed = joined_deed(graph, holdings, ranks->list.items[i].deed);
	HASH_ITER(hh, holdings, holding, next) {
		HASH_DEL(holdings, holding);
		free(holding);
	}
}

static void rank_deeds(const struct blame *blame, struct choices *choices, const struct events *events, struct rank_list *ranks)
{
	struct rank_entry *last = NULL;

	choices_sort_by_deed(choices, blame->graph);
	for (size_t i = 0; i < choices->list.count; i++) {
		const struct choice *choice = &choices->list.items[i];

		if (last && last->deed->family == blame->graph->nodes.items[choice->node].deed->family) {
			merge(blame, last, choice);
			continue;
		}
		last = ARRAY_ADD(&ranks->list);
		*last = entry_of(blame, choice);
	}
	join_families(ranks, blame->graph);
	if (blame->graph->kind == GRAPH_WAKE && events)
		rank_unite_pools(ranks, blame->graph, events);
	rank_sort(ranks);
}

static void rank_instances(const struct blame *blame, struct choices *choices, struct rank_list *ranks)
{
	choices_sort(choices, blame->graph);
	ranks->list.count = 0;
	for (size_t i = 0; i < choices->list.count; i++)
		*ARRAY_ADD(&ranks->list) = entry_of(blame, &choices->list.items[i]);
}

static int write_added_nodes(const struct blame *blame, struct stream *stream, struct line *line)
{
	const struct graph *graph = blame->graph;

	for (size_t i = blame->added; i < graph->nodes.count; i++) {
		graph_spell_node(graph, &graph->nodes.items[i], line);
		if (stream_write_line(stream, line) < 0)
			return -1;
	}
	return 0;
}

/* The piece's deed, for a reader of the path that has no graph. */
static void spell_piece(const struct node *node, struct line *line)
{
	if (node->deed->kind == DEED_TEXT)
		return;
	if (node->tid)
		line_integer(line, "tid", node->tid);
	line_text(line, "what", node_what_name(node->what));
	node_spell_deed(node, line);
}

static int write_path(const struct blame *blame, struct stream *stream, struct line *line)
{
	for (size_t i = 0; i < blame->path.count; i++) {
		const struct path_piece *piece = &blame->path.items[i];

		line_begin(line, "path");
		line_text(line, "graph", blame->graph->id);
		line_integer(line, "node", blame->graph->nodes.items[piece->node].id);
		line_time(line, "from", piece->from);
		line_time(line, "to", piece->to);
		spell_piece(&blame->graph->nodes.items[piece->node], line);
		if (stream_write_line(stream, line) < 0)
			return -1;
	}
	return 0;
}

static int write_ranks(const struct blame *blame, struct choices *choices, const struct ranking_options *options,
		       struct ranking_total *total, struct stream *stream)
{
	const struct graph *graph = blame->graph;
	uint64_t duration = options->algorithm->timeless ? NSEC_PER_SEC : (uint64_t)graph->to - (uint64_t)graph->from;
	struct rank_list ranks = {0};
	int status;

	rank_deeds(blame, choices, options->events, &ranks);
	ranking_total_add(total, &ranks, graph, duration);
	if (options->instances)
		rank_instances(blame, choices, &ranks);
	status = rank_write(&ranks, graph->kind == GRAPH_WAKE ? options->count : SIZE_MAX,
			    &(struct rank_whole){.graph = graph, .duration = duration}, options, stream);
	free(ranks.list.items);
	return status;
}

int ranking_graph(struct graph *graph, const struct ranking_options *options, struct ranking_total *total,
		  struct stream *stream)
{
	struct choices choices = {0};
	struct line line = {0};
	struct blame *blame;
	int status = -1;

	if (graph->kind == GRAPH_RAG && !graph->nodes.count)
		return 0;
	blame = blame_new(graph);
	if (options->algorithm->choose(blame, options->count, &choices) < 0) {
		free(choices.list.items);
		blame_free(blame);
		return stream_fail(stream, "%s", fail_text());
	}
	drop_blameless(&choices);
	if (write_added_nodes(blame, stream, &line) == 0 && write_path(blame, stream, &line) == 0)
		status = write_ranks(blame, &choices, options, total, stream);
	line_free(&line);
	free(choices.list.items);
	blame_free(blame);
	return status;
}
