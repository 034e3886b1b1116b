#include "blame/ranking.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/number.h"
#include "blame/rank_entry.h"
#include "graph/deed_family.h"
#include "graph/graph_record.h"
#include "graph/words.h"

static int compare_ranks(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;
	int order = share_compare(b->score, a->score);

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (!a->deed->doubt != !b->deed->doubt)
		return a->deed->doubt ? 1 : -1; /* a deed in doubt is never the first answer */
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
	if (entry->samples && entry->deed->function) {
		line_unsigned(line, "samples", entry->samples);
		line_unsigned(line, "in_function", entry->in_function);
	}
	if (entry->counters) {
		line_text(line, "counters", entry->counters);
		line_time(line, "counted", entry->counted);
	}
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
		if (whole->graph && whole->graph->thrown && whole->graph->nodes.items[entry->node].threw)
			line_text(&line, "threw", whole->graph->nodes.items[entry->node].threw);
		if (!whole->graph && !options->algorithm->timeless)
			spell_impact(&line, entry, whole);
		spell_deed(&line, entry);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

/* A deed of a thread of a pool. Without pools, threads that each did a part would rank behind one thread that did less than their sum. */
struct member {
	struct deed *family;
	int32_t process;
	struct rank_entry *entry;
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->entry->turn != b->entry->turn)
		return a->entry->turn < b->entry->turn ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return deed_compare(a->family, b->family);
}

static void add_up(struct rank_entry *sum, const struct rank_entry *entry)
{
	if (share_compare(entry->best, sum->best) > 0) {
		sum->best = entry->best;
		sum->node = entry->node;
		sum->tid = entry->tid;
		sum->who_tid = entry->who_tid;
		sum->whom_tid = entry->whom_tid;
		sum->samples = entry->samples;
		sum->in_function = entry->in_function;
		sum->counters = entry->counters;
		sum->counted = entry->counted;
	}
	sum->score = share_plus(sum->score, entry->score);
	sum->on_path |= entry->on_path;
	sum->instances += entry->instances;
}

/* Makes the first entry the sum of all and sets the others' scores to zero. If one did half or more, that one is to blame, and all stay. */
static void unite(struct graph *graph, struct member *members, size_t count)
{
	struct rank_entry sum = *members[0].entry;
	struct share most = sum.score;
	struct deed *pool = deed_copy(sum.deed), *joined;

	for (size_t i = 1; i < count; i++) {
		const struct rank_entry *entry = members[i].entry;

		if (share_compare(entry->score, most) > 0)
			most = entry->score;
		add_up(&sum, entry);
		joined = deed_pool_join(pool, entry->deed);
		free(pool);
		pool = joined;
	}
	if (share_compare(share_plus(most, most), sum.score) < 0) {
		sum.deed = graph_deed(graph, pool);
		*members[0].entry = sum;
		for (size_t i = 1; i < count; i++)
			members[i].entry->score = (struct share){0};
	}
	free(pool);
}

static void drop_united(struct rank_list *ranks)
{
	size_t kept = 0;

	for (size_t i = 0; i < ranks->list.count; i++)
		if (!share_is_zero(ranks->list.items[i].score))
			ranks->list.items[kept++] = ranks->list.items[i];
	ranks->list.count = kept;
}

static int compare_entries(const void *left, const void *right)
{
	const struct rank_entry *a = left, *b = right;
	int order = deed_compare(a->deed, b->deed);

	if (order || a->turn == b->turn)
		return order ? order : (a->node > b->node) - (a->node < b->node);
	return a->turn < b->turn ? -1 : 1;
}

/* Adds up entries with the same deed: the pools of several processes may have one name, as threads may. */
static void merge_alike(struct rank_list *ranks)
{
	struct rank_entry *entries = ranks->list.items;
	size_t kept = 0;

	if (ranks->list.count)
		qsort(entries, ranks->list.count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < ranks->list.count; i++) {
		struct rank_entry *last = kept ? &entries[kept - 1] : NULL;

		if (last && last->turn == entries[i].turn && deed_equal(last->deed, entries[i].deed))
			add_up(last, &entries[i]);
		else
			entries[kept++] = entries[i];
	}
	ranks->list.count = kept;
}

/* Unites the threads of each pool (graph/deed_family.h), unless one of them did half of what the pool did. */
static void unite_pools(struct rank_list *ranks, struct graph *graph, const struct events *events)
{
	struct member *members = memory_new(ranks->list.count + 1, sizeof(*members));
	size_t count = 0, first = 0;

	for (size_t i = 0; i < ranks->list.count; i++) {
		struct rank_entry *entry = &ranks->list.items[i];
		int32_t process = events_tgid(events, entry->who_tid);
		struct deed *family = process ? deed_pool(entry->deed) : NULL;

		if (family)
			members[count++] = (struct member){family, process, entry};
	}
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 1; i <= count; i++)
		if (i == count || compare_members(&members[first], &members[i]) != 0) {
			if (i - first > 2) /* of two threads, one did half or more */
				unite(graph, &members[first], i - first);
			first = i;
		}
	drop_united(ranks);
	merge_alike(ranks);
	for (size_t i = 0; i < count; i++)
		free(members[i].family);
	free(members);
}

static void drop_blameless(struct picks *picks)
{
	size_t kept = 0;

	for (size_t i = 0; i < picks->list.count; i++)
		if (!share_is_zero(picks->list.items[i].score))
			picks->list.items[kept++] = picks->list.items[i];
	picks->list.count = kept;
}

static struct rank_entry entry_of(const struct blame *blame, const struct pick *pick)
{
	const struct node *node = &blame->graph->nodes.items[pick->node];
	const struct deed_detail none = DEED_DETAIL_NONE, *detail = node->detail ? node->detail : &none;

	return (struct rank_entry){
		.deed = node->deed,
		.tid = node->tid,
		.who_tid = node->who_tid,
		.whom_tid = node->whom_tid,
		.samples = detail->samples,
		.in_function = detail->in_function,
		.counters = detail->counters,
		.counted = detail->counted,
		.turn = pick->turn,
		.score = pick->score,
		.best = pick->score,
		.node = pick->node,
		.on_path = blame->on_path[pick->node],
		.instances = 1,
	};
}

/* Adds another instance of the deed. It has more blame than the first only if the first was chosen in an earlier turn. */
static void add_instance(const struct blame *blame, struct rank_entry *entry, const struct pick *pick)
{
	entry->instances++;
	entry->on_path |= blame->on_path[pick->node];
	if (blame->graph->kind == GRAPH_WAKE) {
		entry->score = share_plus(entry->score, pick->score);
	} else if (share_compare(pick->score, entry->best) > 0) {
		entry->score = entry->best = pick->score;
		entry->node = pick->node;
	}
}

/* How long a deed of a family was done in the whole graph. */
struct holding {
	const struct deed *deed;
	double time;
	UT_hash_handle hh;
};

/* Tells whether the graph knows of any run for whom it was. */
static bool has_requests(const struct graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.items[i].deed->kind == DEED_RUN && graph->nodes.items[i].deed->whom)
			return true;
	return false;
}

static struct holding *find_holdings(const struct graph *graph)
{
	struct holding *holdings = NULL, *holding;
	bool runs = has_requests(graph);

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->deed->kind != DEED_HOLD_CPU && (!runs || node->deed->kind != DEED_RUN))
			continue;
		HASH_FIND_PTR(holdings, &node->deed, holding);
		if (!holding) {
			holding = NEW(struct holding);
			holding->deed = node->deed;
			HASH_ADD_PTR(holdings, deed, holding);
		}
		holding->time += (double)node->end - (double)node->start;
	}
	return holdings;
}

/* One deed for the family, with the keys that nearly all of its deeds share: a thread may have kept several threads off several CPUs. */
static const struct deed *joined_deed(struct graph *graph, const struct holding *holdings, const struct deed *deed)
{
	struct deed_family family = {0};
	const struct deed *joined;
	struct deed *sum;

	for (; holdings; holdings = holdings->hh.next)
		if (holdings->deed->family == deed->family)
			deed_family_add(&family, holdings->deed, holdings->time);
	sum = deed_family_common(&family);
	joined = sum ? graph_deed(graph, sum) : deed;
	deed_family_free(&family);
	free(sum);
	return joined;
}

static void join_families(struct rank_list *ranks, struct graph *graph)
{
	struct holding *holdings = find_holdings(graph);

	for (size_t i = 0; holdings && i < ranks->list.count; i++)
		if (ranks->list.items[i].deed->family != ranks->list.items[i].deed || ranks->list.items[i].deed->kind == DEED_RUN)
			ranks->list.items[i].deed = joined_deed(graph, holdings, ranks->list.items[i].deed);
	HASH_FREE(holdings);
}

static void rank_deeds(const struct blame *blame, struct picks *picks, const struct events *events, struct rank_list *ranks)
{
	struct rank_entry *last = NULL;

	picks_sort_by_deed(picks, blame->graph);
	for (size_t i = 0; i < picks->list.count; i++) {
		const struct pick *pick = &picks->list.items[i];

		if (last && last->deed->family == blame->graph->nodes.items[pick->node].deed->family) {
			add_instance(blame, last, pick);
			continue;
		}
		last = ARRAY_ADD(&ranks->list);
		*last = entry_of(blame, pick);
	}
	join_families(ranks, blame->graph);
	if (blame->graph->kind == GRAPH_WAKE && events)
		unite_pools(ranks, blame->graph, events);
	rank_sort(ranks);
}

static void rank_instances(const struct blame *blame, struct picks *picks, struct rank_list *ranks)
{
	picks_sort(picks, blame->graph);
	ranks->list.count = 0;
	for (size_t i = 0; i < picks->list.count; i++)
		*ARRAY_ADD(&ranks->list) = entry_of(blame, &picks->list.items[i]);
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

/* Spells the piece's deed, for readers of the path that do not read the graph. */
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

/* total: NULL: the graph does not count in it. */
static int write_ranks(const struct blame *blame, struct picks *picks, const struct ranking_options *options,
		       struct ranking_total *total, struct stream *stream)
{
	const struct graph *graph = blame->graph;
	uint64_t duration = options->algorithm->timeless ? NSEC_PER_SEC : (uint64_t)graph->to - (uint64_t)graph->from;
	struct rank_list ranks = {0};
	int status;

	rank_deeds(blame, picks, options->events, &ranks);
	if (total)
		ranking_total_add(total, &ranks, graph, duration);
	if (options->instances)
		rank_instances(blame, picks, &ranks);
	status = rank_write(&ranks, graph->kind == GRAPH_WAKE ? options->count : SIZE_MAX,
			    &(struct rank_whole){.graph = graph, .duration = duration}, options, stream);
	free(ranks.list.items);
	return status;
}

int ranking_graph(struct graph *graph, const struct ranking_options *options, struct ranking_total *total,
		  struct stream *stream)
{
	struct ranking_options own = *options;
	struct picks picks = {0};
	struct line line = {0};
	struct blame *blame;
	int status = -1;

	if (graph->kind == GRAPH_RAG && !graph->nodes.count)
		return 0;
	if (graph->thrown)
		own.algorithm = options->of_thrown;
	blame = blame_new(graph);
	if (own.algorithm->choose(blame, own.count, &picks) < 0) {
		free(picks.list.items);
		blame_free(blame);
		return stream_fail(stream, "%s", fail_text());
	}
	drop_blameless(&picks);
	if (write_added_nodes(blame, stream, &line) == 0 && (own.algorithm != options->algorithm || write_path(blame, stream, &line) == 0))
		status = write_ranks(blame, &picks, &own, own.algorithm == options->algorithm ? total : NULL, stream);
	line_free(&line);
	free(picks.list.items);
	blame_free(blame);
	return status;
}
