#include "blame/ranking.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "blame/rank_entry.h"

struct total_entry {
	struct rank_entry rank; /* name and label are its own */
	UT_hash_handle hh;
};

struct ranking_total {
	struct total_entry *by_name;
	uint64_t graphs;
	bool windows; /* any of them explains a window */
	uint64_t duration;
};

struct ranking_total *ranking_total_new(void)
{
	return NEW(struct ranking_total);
}

void ranking_total_free(struct ranking_total *total)
{
	struct total_entry *entry, *next;

	HASH_ITER(hh, total->by_name, entry, next) {
		HASH_DEL(total->by_name, entry);
		free((char *)entry->rank.name);
		free((char *)entry->rank.label);
		free(entry);
	}
	free(total);
}

static struct total_entry *find_entry(struct ranking_total *total, const char *name)
{
	struct total_entry *entry;

	HASH_FIND_STR(total->by_name, name, entry);
	if (entry)
		return entry;
	entry = NEW(struct total_entry);
	entry->rank.name = memory_text(name, strlen(name));
	entry->rank.node = NODE_NONE;
	HASH_ADD_KEYPTR(hh, total->by_name, entry->rank.name, strlen(name), entry);
	return entry;
}

static void add_entry(struct rank_entry *sum, const struct rank_entry *rank)
{
	sum->score = share_plus(sum->score, rank->score);
	sum->on_path |= rank->on_path;
	sum->instances++;
	if (sum->label && share_compare(rank->best, sum->best) <= 0)
		return;
	free((char *)sum->label);
	sum->label = memory_text(rank->label, strlen(rank->label));
	sum->best = rank->best;
}

void ranking_total_add(struct ranking_total *total, const struct rank_list *ranks, const struct graph *graph,
		       uint64_t duration)
{
	total->graphs++;
	total->windows |= graph->window != NULL;
	total->duration += duration;
	for (size_t i = 0; i < ranks->list.count; i++)
		add_entry(&find_entry(total, ranks->list.items[i].name)->rank, &ranks->list.items[i]);
}

int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream)
{
	struct rank_list ranks = {0};
	int status;

	if (total->graphs < 2 && !total->windows)
		return 0;
	for (struct total_entry *entry = total->by_name; entry; entry = entry->hh.next)
		*ARRAY_ADD(&ranks.list) = entry->rank;
	rank_sort(&ranks);
	status = rank_write(&ranks, options->count, NULL, total->duration, options, stream);
	free(ranks.list.items);
	return status;
}
