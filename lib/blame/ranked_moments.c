#include "blame/ranked_moments.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/deed.h"
#include "graph/deed_family.h"

/* Deeds of one family (graph/deed_family.h) are one. */
struct ranked_deed {
	struct deed *family;
	struct deed_family deeds;
	double score;
};

struct ranked_moments {
	moment_sink *sink;
	void *context;
	bool has_kind;
	enum graph_kind kind; /* of the first graph; graphs of another kind are another view of the same time */

	/* the current moment */
	char *window, *graph; /* graph: id of the graph whose blame records count; NULL: none */
	uint64_t graphs;
	double seconds;
	ARRAY(struct ranked_deed) deeds;
};

struct ranked_moments *ranked_moments_new(moment_sink *sink, void *context)
{
	struct ranked_moments *ranked = NEW(struct ranked_moments);

	ranked->sink = sink;
	ranked->context = context;
	return ranked;
}

static void end_moment(struct ranked_moments *ranked)
{
	ARRAY(struct moment_share) shares = {0};

	for (size_t i = 0; i < ranked->deeds.count; i++) {
		struct ranked_deed *each = &ranked->deeds.items[i];

		*ARRAY_ADD(&shares) = (struct moment_share){each->family, deed_family_common(&each->deeds), ranked->seconds > 0 ? each->score / ranked->seconds : 0};
	}
	if (ranked->graphs)
		ranked->sink(ranked->context, ranked->kind, shares.items, shares.count);
	for (size_t i = 0; i < ranked->deeds.count; i++) {
		free(shares.items[i].deed);
		free(ranked->deeds.items[i].family);
		deed_family_free(&ranked->deeds.items[i].deeds);
	}
	free(shares.items);
	free(ranked->window);
	free(ranked->graph);
	ranked->window = ranked->graph = NULL;
	ranked->graphs = ranked->deeds.count = 0;
	ranked->seconds = 0;
}

void ranked_moments_over(struct ranked_moments *ranked)
{
	end_moment(ranked);
	ranked->has_kind = false;
}

void ranked_moments_free(struct ranked_moments *ranked)
{
	ranked_moments_over(ranked);
	free(ranked->deeds.items);
	free(ranked);
}

int ranked_moments_graph(struct ranked_moments *ranked, const struct fields *fields)
{
	enum graph_kind kind = fields_is(fields, "kind", "wake") ? GRAPH_WAKE : GRAPH_RAG;
	char *window;
	int64_t from, to;

	if (fields_time(fields, "from", &from) != 1 || fields_time(fields, "to", &to) != 1 || from > to)
		return fail("a graph without nodes needs from= and to= in order");
	free(ranked->graph);
	ranked->graph = NULL;
	if (ranked->has_kind && kind != ranked->kind)
		return 0;
	window = fields_copy(fields, "window");
	if (!window || !ranked->window || strcmp(window, ranked->window) != 0)
		end_moment(ranked);
	free(ranked->window);
	ranked->window = window;
	ranked->graph = fields_copy(fields, "id");
	ranked->has_kind = true;
	ranked->kind = kind;
	ranked->graphs++;
	ranked->seconds += (double)((uint64_t)to - (uint64_t)from) / 1e9;
	return 0;
}

static struct ranked_deed *find(struct ranked_moments *ranked, const struct deed *deed)
{
	struct deed part = deed_family_of(deed), *family = deed_copy(&part);
	struct ranked_deed *each;

	for (size_t i = 0; i < ranked->deeds.count; i++)
		if (deed_equal(ranked->deeds.items[i].family, family)) {
			free(family);
			return &ranked->deeds.items[i];
		}
	each = ARRAY_ADD(&ranked->deeds);
	*each = (struct ranked_deed){.family = family};
	return each;
}

int ranked_moments_blame(struct ranked_moments *ranked, const struct fields *fields)
{
	struct ranked_deed *each;
	struct deed *deed;
	int64_t score;
	char *name;

	if (!ranked->graph || !fields_is(fields, "graph", ranked->graph))
		return 0;
	if (fields_time(fields, "score", &score) != 1 || score < 0)
		return fail("a blame record needs score= as a number of seconds");
	deed = deed_read(fields);
	if (!deed) {
		name = fields_copy(fields, "name");
		deed = deed_text_copy(name ? name : "");
		free(name);
	}
	each = find(ranked, deed);
	deed_family_add(&each->deeds, deed, (double)score / 1e9);
	each->score += (double)score / 1e9;
	free(deed);
	return 0;
}
