#include "walk/edge_rules.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "walk/node_name.h"
#include "walk/whole_words.h"

static void forget(struct whole *whole)
{
	size_t kept = 0, before = whole->edges.count;

	for (size_t i = 0; i < before; i++) {
		whole->edges.items[i].cut = false;
		if (whole->edges.items[i].joined)
			continue;
		if (kept < i)
			whole->edges.items[kept] = whole->edges.items[i];
		kept++;
	}
	whole->edges.count = kept;
	if (kept < before)
		whole_index_edges(whole);
}

/* Inserts the edge behind all edges that lead to the same segment, because edges are sorted by that segment, and then by time. */
static void insert(struct whole *whole, struct whole_edge edge)
{
	size_t at = COUNT_UNTIL(whole->edges.items, whole->edges.count, to, edge.to);

	*ARRAY_INSERT(&whole->edges, at) = edge;
	whole_index_edges(whole);
}

static int join(struct whole *whole, const struct rule *rule)
{
	uint32_t from = node_find(whole, rule->from_name), to = from == NUMBER_NONE ? NUMBER_NONE : node_find(whole, rule->to_name);

	if (to == NUMBER_NONE)
		return fail_prefix("%s", rule->place);
	if (segment_at(whole, from)->start > segment_at(whole, to)->end)
		return fail("%s: the edge from %s to %s goes back in time", rule->place, rule->from_name, rule->to_name);
	insert(whole, (struct whole_edge){.ts = segment_at(whole, to)->end, .from = from, .to = to, .kind = EDGE_JOIN, .joined = true});
	return 0;
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}

/* By identity: whether the rule is about such waits. The caller frees the result. */
static bool *waits_of(const struct whole *whole, const struct rule *rule)
{
	bool *fit = memory_new(whole->identities.pieces.count, sizeof(*fit));

	for (size_t i = 0; i < whole->identities.pieces.count; i++) {
		struct wait_identity identity = whole_identity_at(whole, (uint32_t)i);

		fit[i] = fits(rule->syscall, whole_text(whole, identity.syscall)) && fits(rule->object, whole_text(whole, identity.object)) &&
			 fits(rule->function, whole_text(whole, identity.function));
	}
	return fit;
}

/* By thread: whether its name fits the pattern. The caller frees the result. */
static bool *threads_of(const struct whole *whole, const char *pattern)
{
	bool *fit = memory_new(whole->threads.count + 1, sizeof(*fit));

	for (size_t i = 0; i < whole->threads.count; i++)
		fit[i] = fits(pattern, whole_text(whole, whole->threads.items[i].name));
	return fit;
}

static size_t cut(struct whole *whole, const struct rule *rule)
{
	bool *from = threads_of(whole, rule->from_name), *to = threads_of(whole, rule->to_name), *waits = waits_of(whole, rule);
	size_t count = 0;

	for (size_t i = 0; i < whole->edges.count; i++) {
		struct whole_edge *edge = &whole->edges.items[i];
		const struct segment *source = segment_at(whole, edge->from), *target = segment_at(whole, edge->to);

		/* an edge from the thread itself, such as of its own timer, has no other waker to cut off */
		if (source->thread == target->thread || edge->joined || !from[source->thread] || !to[target->thread] || !waits[target->identity])
			continue;
		edge->cut = true;
		count++;
	}
	free(from);
	free(to);
	free(waits);
	return count;
}

int edge_rules_apply(struct whole *whole, const struct semantics *semantics, bool joins, size_t *last)
{
	size_t count = 0;

	forget(whole);
	for (size_t i = 0; i < semantics->rules.count; i++) {
		const struct rule *rule = &semantics->rules.items[i];

		count = rule->kind == RULE_CUT ? cut(whole, rule) : 0;
		if (joins && rule->kind == RULE_JOIN && join(whole, rule) < 0)
			return -1;
	}
	if (last)
		*last = count;
	return 0;
}
