#include "blame/ranking.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "blame/rank_entry.h"
#include "blame/waiting.h"
#include "graph/family.h"
#include "graph/words.h"

struct total_entry {
	struct rank_entry rank; /* deed and label are its own; the deed is that of the family until all is added up */
	struct family deeds;	/* of the family */
	uint64_t graph;		/* number of the last one in which it was blamed */
	struct share in_moment; /* its score in the moment at hand */
	bool of_moment;
	UT_hash_handle hh;
};

struct moment {
	char *window; /* NULL: none */
	uint64_t graphs, duration;
	ARRAY(struct total_entry *) entries; /* blamed in it */
	ARRAY(struct moment_share) shares;   /* theirs, when it is over */
};

struct ranking_total {
	struct total_entry *by_family;
	uint64_t graphs;
	enum graph_kind kind; /* of them all */
	bool windows; /* any of them explains a window */
	uint64_t duration;
	struct moment moment; /* at hand */
	struct waiting *waiting;
	moment_sink *sink;
	void *context;
};

struct ranking_total *ranking_total_new(moment_sink *sink, void *context)
{
	struct ranking_total *total = NEW(struct ranking_total);

	total->waiting = waiting_new();
	total->sink = sink;
	total->context = context;
	return total;
}

void ranking_total_free(struct ranking_total *total)
{
	struct total_entry *entry, *next;

	HASH_ITER(hh, total->by_family, entry, next) {
		HASH_DEL(total->by_family, entry);
		family_free(&entry->deeds);
		free((struct deed *)entry->rank.deed);
		free((char *)entry->rank.label);
		free(entry);
	}
	waiting_free(total->waiting);
	free(total->moment.window);
	free(total->moment.entries.items);
	free(total->moment.shares.items);
	free(total);
}

int ranking_total_signal(struct ranking_total *total, const struct fields *fields)
{
	return waiting_signal(total->waiting, fields);
}

void ranking_total_window(struct ranking_total *total, const struct fields *fields)
{
	waiting_window(total->waiting, fields);
}

static double moment_waiting(struct ranking_total *total)
{
	const struct moment *moment = &total->moment;
	double duration = moment->duration / 1e9, seconds = moment->window ? waiting_take(total->waiting, moment->window) : -1;

	if (seconds >= 0)
		return seconds;
	if (moment->window)
		waiting_add(total->waiting, duration);
	else
		waiting_claim(total->waiting, duration);
	return duration;
}

void ranking_total_end(struct ranking_total *total)
{
	struct moment *moment = &total->moment;
	double waiting;

	if (!moment->graphs)
		return;
	waiting = moment_waiting(total);
	for (size_t i = 0; i < moment->entries.count; i++) {
		struct total_entry *entry = moment->entries.items[i];
		double share = share_part(entry->in_moment, moment->duration);

		entry->rank.waited += share * waiting;
		entry->in_moment = (struct share){0};
		entry->of_moment = false;
		*ARRAY_ADD(&moment->shares) = (struct moment_share){entry->rank.deed, family_deed(&entry->deeds), share};
	}
	if (total->sink)
		total->sink(total->context, total->kind, moment->shares.items, moment->shares.count);
	for (size_t i = 0; i < moment->shares.count; i++)
		free(moment->shares.items[i].deed);
	moment->entries.count = moment->shares.count = 0;
	moment->graphs = moment->duration = 0;
	free(moment->window);
	moment->window = NULL;
}

/* Whether the graph belongs to the moment at hand. */
static bool continues(const struct moment *moment, const struct graph *graph)
{
	return moment->window && graph->window && strcmp(moment->window, graph->window) == 0;
}

static void add_to_moment(struct moment *moment, struct total_entry *entry, struct share score)
{
	entry->in_moment = share_plus(entry->in_moment, score);
	if (entry->of_moment)
		return;
	entry->of_moment = true;
	*ARRAY_ADD(&moment->entries) = entry;
}

static struct total_entry *find_entry(struct ranking_total *total, const struct deed *deed)
{
	struct deed part = family_of(deed), *family = deed_copy(&part);
	struct total_entry *entry;

	HASH_FIND(hh, total->by_family, family->key, family->key_length, entry);
	if (entry) {
		free(family);
		return entry;
	}
	entry = NEW(struct total_entry);
	entry->rank.deed = family;
	entry->rank.node = NODE_NONE;
	HASH_ADD_KEYPTR(hh, total->by_family, family->key, family->key_length, entry);
	return entry;
}

static void add_entry(struct total_entry *entry, const struct rank_entry *rank, const struct graph *graph, uint64_t number)
{
	struct rank_entry *sum = &entry->rank;

	family_add(&entry->deeds, rank->deed, (double)share_round(rank->score));
	sum->score = share_plus(sum->score, rank->score);
	sum->on_path |= rank->on_path;
	sum->instances += entry->graph != number;
	entry->graph = number;
	if (sum->label && share_compare(rank->best, sum->best) <= 0)
		return;
	free((char *)sum->label);
	sum->label = words_label(&graph->nodes.items[rank->node]);
	sum->best = rank->best;
	sum->tid = rank->tid;
	sum->who_tid = rank->who_tid;
	sum->whom_tid = rank->whom_tid;
}

static void begin_moment(struct moment *moment, const struct graph *graph)
{
	if (graph->window)
		moment->window = memory_text(graph->window, strlen(graph->window));
}

void ranking_total_add(struct ranking_total *total, const struct rank_list *ranks, const struct graph *graph,
		       uint64_t duration)
{
	if (total->graphs && total->kind != graph->kind)
		return; /* another view of the same time */
	total->kind = graph->kind;
	if (!continues(&total->moment, graph)) {
		ranking_total_end(total);
		begin_moment(&total->moment, graph);
	}
	total->graphs++;
	total->windows |= graph->window != NULL;
	total->duration += duration;
	total->moment.graphs++;
	total->moment.duration += duration;
	for (size_t i = 0; i < ranks->list.count; i++) {
		struct total_entry *entry = find_entry(total, ranks->list.items[i].deed);

		add_entry(entry, &ranks->list.items[i], graph, total->graphs);
		add_to_moment(&total->moment, entry, ranks->list.items[i].score);
	}
}

int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream)
{
	struct rank_list ranks = {0};
	struct rank_whole whole;
	int status;

	ranking_total_end(total);
	if (total->graphs < 2 && !total->windows)
		return 0;
	for (struct total_entry *entry = total->by_family; entry; entry = entry->hh.next) {
		*ARRAY_ADD(&ranks.list) = entry->rank;
		ranks.list.items[ranks.list.count - 1].deed = family_deed(&entry->deeds);
	}
	rank_sort(&ranks);
	whole = (struct rank_whole){.duration = total->duration, .waited = waiting_whole(total->waiting)};
	status = rank_write(&ranks, options->count, &whole, options, stream);
	for (size_t i = 0; i < ranks.list.count; i++)
		free((struct deed *)ranks.list.items[i].deed);
	free(ranks.list.items);
	return status;
}
