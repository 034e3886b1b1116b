#include "blame/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/deed.h"
#include "graph/family.h"

/* Deeds of one family (graph/family.h) are one. */
struct told_deed {
	struct deed *family;
	struct family deeds;
	double score;
};

struct told {
	moment_sink *sink;
	void *context;
	bool has_kind;
	enum graph_kind kind; /* of the first graph; others are another view of the same time */

	/* the moment at hand */
	char *window, *graph; /* graph: its blame counts */
	uint64_t graphs;
	double seconds;
	ARRAY(struct told_deed) deeds;
};

struct told *told_new(moment_sink *sink, void *context)
{
	struct told *told = NEW(struct told);

	told->sink = sink;
	told->context = context;
	return told;
}

static void end_moment(struct told *told)
{
	ARRAY(struct moment_share) shares = {0};

	for (size_t i = 0; i < told->deeds.count; i++) {
		struct told_deed *each = &told->deeds.items[i];

		*ARRAY_ADD(&shares) = (struct moment_share){each->family, family_deed(&each->deeds), told->seconds > 0 ? each->score / told->seconds : 0};
	}
	if (told->graphs)
		told->sink(told->context, told->kind, shares.items, shares.count);
	for (size_t i = 0; i < told->deeds.count; i++) {
		free(shares.items[i].deed);
		free(told->deeds.items[i].family);
		family_free(&told->deeds.items[i].deeds);
	}
	free(shares.items);
	free(told->window);
	free(told->graph);
	told->window = told->graph = NULL;
	told->graphs = told->deeds.count = 0;
	told->seconds = 0;
}

void told_over(struct told *told)
{
	end_moment(told);
	told->has_kind = false;
}

void told_free(struct told *told)
{
	told_over(told);
	free(told->deeds.items);
	free(told);
}

int told_graph(struct told *told, const struct fields *fields)
{
	enum graph_kind kind = fields_is(fields, "kind", "wake") ? GRAPH_WAKE : GRAPH_RAG;
	char *window;
	int64_t from, to;

	if (fields_time(fields, "from", &from) != 1 || fields_time(fields, "to", &to) != 1 || from > to)
		return fail("a graph without nodes needs from= and to= in order");
	free(told->graph);
	told->graph = NULL;
	if (told->has_kind && kind != told->kind)
		return 0;
	window = fields_copy(fields, "window");
	if (!window || !told->window || strcmp(window, told->window) != 0)
		end_moment(told);
	free(told->window);
	told->window = window;
	told->graph = fields_copy(fields, "id");
	told->has_kind = true;
	told->kind = kind;
	told->graphs++;
	told->seconds += (double)((uint64_t)to - (uint64_t)from) / 1e9;
	return 0;
}

static struct told_deed *find(struct told *told, const struct deed *deed)
{
	struct deed part = family_of(deed), *family = deed_copy(&part);
	struct told_deed *each;

	for (size_t i = 0; i < told->deeds.count; i++)
		if (deed_equal(told->deeds.items[i].family, family)) {
			free(family);
			return &told->deeds.items[i];
		}
	each = ARRAY_ADD(&told->deeds);
	*each = (struct told_deed){.family = family};
	return each;
}

int told_blame(struct told *told, const struct fields *fields)
{
	struct told_deed *each;
	struct deed *deed;
	double score;
	char *name;

	if (!told->graph || !fields_is(fields, "graph", told->graph))
		return 0;
	if (fields_double(fields, "score", &score) != 1 || !isfinite(score))
		return fail("a blame record needs score= as a number");
	deed = deed_read(fields);
	if (!deed) {
		name = fields_copy(fields, "name");
		deed = deed_text_copy(name ? name : "");
		free(name);
	}
	each = find(told, deed);
	family_add(&each->deeds, deed, score);
	each->score += score;
	free(deed);
	return 0;
}
