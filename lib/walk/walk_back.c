#include "walk/walk_back.h"

#include <stdlib.h>

#include "walk/whole_find.h"

/*
 * The edge to follow, among those that may have ended the wait: the strong ones, or, if there are none, the weak ones. It is number `wanted` of
 * these, from 1; the last if that is 0 or there are fewer; NULL: none. Sets how many are strong, and how many there are to choose from.
 */
static const struct whole_edge *choose(const struct whole *whole, uint32_t number, size_t wanted, size_t *strong, size_t *choices)
{
	size_t count, weak = 0, taken = 0;
	const struct whole_edge *edges = whole_arriving(whole, number, &count), *last = NULL;
	int64_t from = segment_at(whole, number)->wait_from;

	*strong = 0;
	for (size_t i = 0; i < count; i++)
		if (edges[i].ts >= from && !edges[i].cut)
			*(edges[i].weak ? &weak : strong) += 1;
	*choices = *strong ? *strong : weak;
	for (size_t i = 0; i < count; i++) {
		if (edges[i].ts < from || edges[i].cut || edges[i].weak != (*strong == 0))
			continue;
		last = &edges[i];
		if (++taken == wanted)
			break;
	}
	return last;
}

/* Sets the wait that the edge's segment came out of; or returns why the walk ends here. `passed`: by segment, whether it is a step already. */
static enum back_end go_on(const struct whole *whole, const struct walk_back *back, const bool *passed, const struct whole_edge *edge,
			   uint32_t *number)
{
	const struct segment *first = segment_at(whole, back->steps.items[0].segment);
	uint32_t before = whole_origin(whole, edge->from);

	if (segment_at(whole, edge->from)->thread == first->thread)
		return BACK_ITSELF;
	if (before == NUMBER_NONE)
		return BACK_NO_WAIT;
	if (segment_at(whole, before)->end <= first->start)
		return BACK_EARLIER;
	if (passed[before])
		return BACK_TWICE;
	*number = before;
	return BACK_GOES_ON;
}

struct walk_back walk_back(const struct whole *whole, uint32_t segment, size_t wanted, bool ask)
{
	bool *passed = memory_new(whole->segments.count, sizeof(*passed));
	struct walk_back back = {.end = BACK_GOES_ON};

	while (back.end == BACK_GOES_ON) {
		struct walk_back_step step = {.segment = segment};
		size_t choices;

		step.edge = choose(whole, segment, back.steps.count ? 0 : wanted, &step.strong, &choices);
		back.choices = back.steps.count ? back.choices : choices;
		if (step.edge && step.edge->kind == EDGE_TIMER && segment_at(whole, step.edge->from)->thread == segment_at(whole, segment)->thread)
			step.edge = NULL; /* its own timer ended the wait, no other thread did */
		*ARRAY_ADD(&back.steps) = step;
		passed[segment] = true;
		if (ask && step.strong > 1 && (back.steps.count > 1 || !wanted))
			back.end = BACK_SEVERAL;
		else if (!step.edge)
			back.end = BACK_NO_THREAD;
		else
			back.end = go_on(whole, &back, passed, step.edge, &segment);
	}
	free(passed);
	return back;
}

void walk_back_free(struct walk_back *back)
{
	free(back->steps.items);
}
