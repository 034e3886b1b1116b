/* One graph's story: its path in pieces and parts, its ranking. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "chart/span.h"
#include "graph/pool.h"
#include "report/chain.h"
#include "report/model.h"
#include "report/words.h"

#define SMALL 0.005 /* of the whole: what is less need not be alike */

enum { OFTEN = 5 }; /* so many sleeps are worth a word */

struct story *story_new(const char *graph)
{
	struct story *story = NEW(struct story);

	story->graph = words_clean(graph);
	story->root = memory_format("%s", "");
	story->from = INT64_MAX;
	story->to = INT64_MIN;
	return story;
}

void story_free(struct story *story)
{
	struct part *part, *next;
	size_t i;

	if (!story)
		return;
	HASH_ITER(hh, story->parts, part, next) {
		HASH_DEL(story->parts, part);
		for (i = 0; i < part->holdings.count; i++)
			free(part->holdings.items[i].owner);
		free(part->holdings.items);
		free(part->words);
		free(part->meanwhile);
		free(part);
	}
	for (i = 0; i < story->pieces.count; i++)
		free(story->pieces.items[i].row);
	for (i = 0; i < story->culprits.count; i++)
		culprit_free(&story->culprits.items[i]);
	free(story->pieces.items);
	free(story->culprits.items);
	free(story->chain);
	free(story->graph);
	free(story->root);
	free(story);
}

/* Who sleeps again and again looks for something in between; what that is, no event tells. */
static char *say_often(const struct part *part)
{
	char number[NUMBER_ROOM];

	number_human_count(number, part->pieces);
	return memory_format(", %s times", number);
}

void story_close(const struct model *model, struct story *story, const struct graph *graph)
{
	struct part *part;

	if (story->closed)
		return;
	story->closed = true;
	for (part = story->parts; part; part = part->hh.next) {
		if (part->what != WHAT_RUNNABLE && (part->what != WHAT_TIMER || part->pieces < OFTEN))
			continue;
		free(part->meanwhile);
		part->meanwhile = part->what == WHAT_RUNNABLE ? chain_holders(part) : say_often(part);
	}
	story->chain = chain_words(model, story, graph);
}

double story_length(const struct story *story)
{
	return (double)span_between(story->from, story->to) / 1e9;
}

double story_share(const struct story *story, const struct part *part)
{
	return story->to > story->from ? part->time / story_length(story) : NAN;
}

bool story_hides_slivers(const struct story *story)
{
	const struct part *part;
	int slivers = 0;

	for (part = story->parts; part; part = part->hh.next)
		slivers += story_share(story, part) < SLIVER;
	return slivers > 1;
}

size_t story_culprits(const struct story *story, size_t room)
{
	size_t n = 0;

	while (n < story->culprits.count && n < room && (n == 0 || !(story->culprits.items[n].share < SLIVER)))
		n++;
	return n;
}

/* Takes the words. */
static struct part *story_part(struct story *story, enum node_what what, char *words, char *meanwhile)
{
	struct part *part;

	HASH_FIND_STR(story->parts, words, part);
	if (part) {
		/* What went on during one of several waits would not be the whole truth of all. */
		if (strcmp(part->meanwhile, meanwhile)) {
			free(part->meanwhile);
			part->meanwhile = memory_format("%s", "");
		}
		free(words);
		free(meanwhile);
		return part;
	}
	part = NEW(struct part);
	part->what = what;
	part->words = words;
	part->meanwhile = meanwhile;
	HASH_ADD_KEYPTR(hh, story->parts, part->words, strlen(part->words), part);
	return part;
}

int story_path(const struct model *model, struct story *story, const struct graph *graph, const struct fields *fields)
{
	struct piece *piece;
	int64_t id, from, to;
	int32_t node;

	if (fields_integer(fields, "node", &id) != 1 || read_time(fields, "from", &from) != 1 ||
	    read_time(fields, "to", &to) != 1)
		return fail("a path record needs node=, from= and to= as numbers");
	if (from > to)
		return fail("a path piece ends before it starts");
	node = graph ? graph_find(graph, id) : NODE_NONE;
	piece = ARRAY_ADD(&story->pieces);
	*piece = (struct piece){.from = from, .to = to, .what = WHAT_UNKNOWN};
	if (node == NODE_NONE) {
		piece->row = memory_format("node %" PRId64, id);
		piece->part =
		    story_part(story, WHAT_UNKNOWN, memory_format("node %" PRId64, id), memory_format("%s", ""));
	} else {
		piece->what = graph->nodes.items[node].what;
		piece->row = words_owner(model, graph, node);
		piece->part =
		    story_part(story, piece->what, words_node(model, graph, node, story->signal && story->signal->open),
			       words_meanwhile(graph, node));
	}
	piece->node = node;
	if (piece->what == WHAT_RUNNABLE)
		chain_hold(model, piece->part, graph, piece);
	piece->part->time += (double)span_between(from, to) / 1e9;
	piece->part->pieces++;
	if (from < story->from)
		story->from = from;
	if (to > story->to)
		story->to = to;
	return 0;
}

/* Whether a ranked name and a part of the path are the same thing. Who is to blame for a queue, its words do not say. */
static bool is_part(const struct culprit *culprit, const struct part *part)
{
	if (part->what == WHAT_QUEUE || part->what == WHAT_SERVICE || part->what == WHAT_UNKNOWN || culprit->timeless)
		return false;
	if (part->what == WHAT_METHOD && strcmp(part->words, culprit->words) != 0)
		return false;
	if (part->what == WHAT_RUNNABLE && culprit->threads > 1)
		return false; /* which the path says of one at most */
	return fabs(culprit->score - part->time) <= part->time / 1000;
}

bool story_is_ranked_alike(const struct story *story)
{
	const struct part *part = story->parts;
	size_t i;

	for (i = 0; i < story->culprits.count && part; i++, part = part->hh.next) {
		if (story_share(story, part) < SMALL && story->culprits.items[i].share < SMALL)
			return true;
		if (!is_part(&story->culprits.items[i], part))
			return false;
	}
	return i > 0 && i == story->culprits.count && !part;
}

static char *spell(const struct model *model, const char *name, uint64_t threads, uint64_t processes)
{
	char *raw = words_culprit(model, name, threads, processes), *words = words_clean(raw);

	free(raw);
	return words;
}

int culprit_read(const struct model *model, struct culprit *culprit, const struct fields *fields)
{
	memset(culprit, 0, sizeof(*culprit));
	culprit->share = NAN;
	if (fields_double(fields, "score", &culprit->score) != 1)
		return fail("a blame record needs score= as a number");
	if (fields_unsigned(fields, "rank", &culprit->rank) < 0 ||
	    fields_double(fields, "share", &culprit->share) < 0 ||
	    fields_unsigned(fields, "instances", &culprit->instances) < 0)
		return -1;
	culprit->on_path = fields_is(fields, "on_path", "yes") || fields_is(fields, "on_path", "1");
	culprit->name = clean_field(fields, "name");
	culprit->label = clean_field(fields, "label");
	culprit->algorithm = clean_field(fields, "algorithm");
	culprit->timeless = !strcmp(culprit->algorithm, "exception");
	culprit->words = spell(model, culprit->name, 0, 0);
	culprit->fuller = spell(model, culprit->name, 0, 0);
	return 0;
}

void culprit_free(struct culprit *culprit)
{
	free(culprit->name);
	free(culprit->label);
	free(culprit->words);
	free(culprit->fuller);
	free(culprit->algorithm);
	identity_free(&culprit->identity);
}

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* How many threads have a node of this name, or of the pool's whose name it is. */
static uint64_t threads_of(const struct graph *graph, const char *name)
{
	int32_t *tids = memory_new(graph->nodes.count + 1, sizeof(*tids));
	uint64_t threads = 0;
	size_t i, n = 0;

	for (i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.items[i].tid > 0 && pool_has(name, graph->nodes.items[i].name))
			tids[n++] = graph->nodes.items[i].tid;
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		threads += i == 0 || tids[i] != tids[i - 1];
	free(tids);
	return threads;
}

int story_blame(const struct model *model, struct story *story, const struct graph *graph, const struct fields *fields)
{
	struct culprit culprit;
	char *name;

	if (culprit_read(model, &culprit, fields) < 0)
		return -1;
	name = fields_copy(fields, "name");
	if (name && graph && graph->kind == GRAPH_WAKE) {
		culprit.threads = threads_of(graph, name);
		culprit.processes = who_of_nodes(model->who, graph, name, &culprit.identity);
		free(culprit.fuller);
		culprit.fuller = spell(model, name, culprit.threads, culprit.processes);
	}
	free(name);
	*ARRAY_ADD(&story->culprits) = culprit;
	return 0;
}
