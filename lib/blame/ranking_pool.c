/* A pool of threads that each did a part would else come behind one thread that did less than they. */
#include <stdlib.h>

#include "blame/rank_entry.h"
#include "graph/family.h"

struct member {
	struct deed *family;
	int32_t process;
	struct rank_entry *entry;
};

static int compare(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->entry->turn != b->entry->turn)
		return a->entry->turn < b->entry->turn ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return deed_compare(a->family, b->family);
}

static void add(struct rank_entry *sum, const struct rank_entry *entry)
{
	if (share_compare(entry->best, sum->best) > 0) {
		sum->best = entry->best;
		sum->node = entry->node;
		sum->tid = entry->tid;
		sum->who_tid = entry->who_tid;
		sum->whom_tid = entry->whom_tid;
	}
	sum->score = share_plus(sum->score, entry->score);
	sum->on_path |= entry->on_path;
	sum->instances += entry->instances;
}

/* Makes the first the sum of them all, and leaves the others without score; unless one did half of it, who then is to blame. */
static void unite(struct graph *graph, struct member *members, size_t count)
{
	struct rank_entry sum = *members[0].entry;
	struct share most = sum.score;
	struct deed *pool = deed_copy(sum.deed), *joined;

	for (size_t i = 1; i < count; i++) {
		const struct rank_entry *entry = members[i].entry;

		if (share_compare(entry->score, most) > 0)
			most = entry->score;
		add(&sum, entry);
		joined = pool_join(pool, entry->deed);
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

/* The pools of several processes may have one name. As with threads, the same deed is one. */
static void merge_alike(struct rank_list *ranks)
{
	struct rank_entry *entries = ranks->list.items;
	size_t kept = 0;

	if (ranks->list.count)
		qsort(entries, ranks->list.count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < ranks->list.count; i++) {
		struct rank_entry *last = kept ? &entries[kept - 1] : NULL;

		if (last && last->turn == entries[i].turn && deed_equal(last->deed, entries[i].deed))
			add(last, &entries[i]);
		else
			entries[kept++] = entries[i];
	}
	ranks->list.count = kept;
}

void rank_unite_pools(struct rank_list *ranks, struct graph *graph, const struct events *events)
{
	struct member *members = memory_new(ranks->list.count + 1, sizeof(*members));
	size_t count = 0, first = 0;

	for (size_t i = 0; i < ranks->list.count; i++) {
		struct rank_entry *entry = &ranks->list.items[i];
		int32_t process = events_tgid(events, entry->who_tid);
		struct deed *family = process ? pool_family(entry->deed) : NULL;

		if (family)
			members[count++] = (struct member){family, process, entry};
	}
	qsort(members, count, sizeof(*members), compare);
	for (size_t i = 1; i <= count; i++)
		if (i == count || compare(&members[first], &members[i]) != 0) {
			if (i - first > 2) /* of two, one did half */
				unite(graph, &members[first], i - first);
			first = i;
		}
	drop_united(ranks);
	merge_alike(ranks);
	for (size_t i = 0; i < count; i++)
		free(members[i].family);
	free(members);
}
