#include "blame/algorithm.h"

#include <stdlib.h>
#include <string.h>

void choices_add(struct choices *choices, int32_t node, struct share score)
{
	*ARRAY_ADD(&choices->list) = (struct choice){.node = node, .score = score};
}

static int compare_choices(const void *left, const void *right, void *context)
{
	const struct choice *a = left, *b = right;
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

void choices_sort(struct choices *choices, const struct graph *graph)
{
	if (choices->list.count)
		qsort_r(choices->list.items, choices->list.count, sizeof(*choices->list.items), compare_choices,
			graph->nodes.items);
}

static int compare_deeds(const void *left, const void *right, void *context)
{
	const struct node *nodes = context;
	const struct deed *a = nodes[((const struct choice *)left)->node].deed->family;
	const struct deed *b = nodes[((const struct choice *)right)->node].deed->family;
	int order = a == b ? 0 : deed_compare(a, b); /* of one graph: the same deeds are equal pointers */

	return order ? order : compare_choices(left, right, context);
}

void choices_sort_by_deed(struct choices *choices, const struct graph *graph)
{
	if (choices->list.count)
		qsort_r(choices->list.items, choices->list.count, sizeof(*choices->list.items), compare_deeds,
			graph->nodes.items);
}

void choices_cut(struct choices *choices, size_t count)
{
	if (choices->list.count > count)
		choices->list.count = count;
}
