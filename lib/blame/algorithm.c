#include "blame/algorithm.h"

#include <stdlib.h>
#include <string.h>

void picks_add(struct picks *picks, int32_t node, struct share score)
{
	*ARRAY_ADD(&picks->list) = (struct pick){.node = node, .score = score};
}

static int compare_picks(const void *left, const void *right, void *context)
{
	const struct pick *a = left, *b = right;
	const struct node *nodes = context, *m = &nodes[a->node], *n = &nodes[b->node];
	int order = share_compare(b->score, a->score);

	if (a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	if (order)
		return order;
	if (m->start != n->start)
		return m->start < n->start ? -1 : 1;
	return (m->id > n->id) - (m->id < n->id);
}

void picks_sort(struct picks *picks, const struct graph *graph)
{
	if (picks->list.count)
		qsort_r(picks->list.items, picks->list.count, sizeof(*picks->list.items), compare_picks,
			graph->nodes.items);
}

static int compare_deeds(const void *left, const void *right, void *context)
{
	const struct node *nodes = context;
	const struct deed *a = nodes[((const struct pick *)left)->node].deed->family;
	const struct deed *b = nodes[((const struct pick *)right)->node].deed->family;
	int order = a == b ? 0 : deed_compare(a, b); /* one graph: the same deeds have the same pointer */

	return order ? order : compare_picks(left, right, context);
}

void picks_sort_by_deed(struct picks *picks, const struct graph *graph)
{
	if (picks->list.count)
		qsort_r(picks->list.items, picks->list.count, sizeof(*picks->list.items), compare_deeds,
			graph->nodes.items);
}

void picks_cut(struct picks *picks, size_t count)
{
	if (picks->list.count > count)
		picks->list.count = count;
}
