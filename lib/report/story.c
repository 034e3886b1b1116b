/* One graph's story: its path in pieces and parts, its ranking. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "chart/span.h"
#include "graph/family.h"
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
	story->root_name = memory_format("%s", "");
	story->from = INT64_MAX;
	story->to = INT64_MIN;
	return story;
}

static void free_holding(struct holding *holding)
{
	free(holding->owner);
	free(holding->name);
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
			free_holding(&part->holdings.items[i]);
		free(part->holdings.items);
		free(part->words);
		free(part->act);
		free(part->about);
		free(part->behind);
		free(part->deed);
		free(part->meanwhile);
		free(part);
	}
	for (i = 0; i < story->pieces.count; i++) {
		free(story->pieces.items[i].row);
		free(story->pieces.items[i].name);
	}
	for (i = 0; i < story->culprits.count; i++)
		culprit_free(&story->culprits.items[i]);
	free(story->pieces.items);
	free(story->culprits.items);
	free(story->chain);
	free(story->graph);
	free(story->root);
	free(story->root_name);
	free(story);
}

/* Who sleeps again and again looks for something in between; what that is, no event tells. */
static char *say_often(const struct part *part)
{
	char number[NUMBER_ROOM];

	number_human_count(number, part->pieces);
	return memory_format(", %s times", number);
}

void story_close(struct story *story, const struct graph *graph)
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
	story->chain = chain_words(story, graph);
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

/* Takes the words; the rest of a new part is to be filled in. */
static struct part *story_part(struct story *story, enum node_what what, char *words, char *meanwhile, bool *is_new)
{
	struct part *part;

	HASH_FIND_STR(story->parts, words, part);
	*is_new = !part;
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

/* Whose request it is needs no name if the graph is about that thread. */
static int view_of(const struct story *story, const struct graph *graph, const struct node *node)
{
	bool own = graph && graph->target != NODE_NONE && graph->nodes.items[graph->target].tid == node->tid;
	bool open = story->signal && story->signal->open && graph && node->end >= graph->to;

	return (own ? VIEW_OWN : 0) | (open ? VIEW_OPEN : 0);
}

static struct part *part_of(const struct model *model, struct story *story, const struct graph *graph, int32_t index,
			    const struct node *node)
{
	struct sentence sentence = words_sentence(node, view_of(story, graph, node));
	char *meanwhile = index == NODE_NONE ? memory_format("%s", "") : words_meanwhile(graph, index);
	bool is_new, behind = strcmp(sentence.joint, " ") == 0;
	struct part *part = story_part(story, node->what, words_cleaned(sentence_words(&sentence)), meanwhile, &is_new);

	if (is_new) {
		part->act = sentence.of_row ? words_clean(sentence.predicate) : memory_format("%s", part->words);
		part->about = words_clean(behind ? sentence.about : "");
		part->behind = words_clean(sentence.predicate);
		part->deed = model_name_device(model, node->deed);
	}
	sentence_free(&sentence);
	return part;
}

/* The node as its path record tells it, where its own is not there. */
struct told_node {
	struct node node;
	struct deed *deed; /* devices by their names */
};

static int read_told(const struct model *model, struct told_node *told, const struct fields *fields, int64_t id)
{
	struct deed_record record;
	char *text = memory_format("node %" PRId64, id);
	int status;

	if (!deed_record_read(&record, fields))
		record.deed.text = text;
	told->deed = model_name_device(model, &record.deed);
	told->node.what = (uint8_t)node_what_read(fields, WHAT_UNKNOWN);
	told->node.deed = told->deed;
	status = node_read_tids(fields, &record, &told->node);
	deed_record_free(&record);
	free(text);
	return status;
}

static void add_piece(const struct model *model, struct story *story, const struct graph *graph, int32_t index, const struct node *node,
		      int64_t from, int64_t to)
{
	struct piece *piece = ARRAY_ADD(&story->pieces);

	*piece = (struct piece){.from = from, .to = to, .what = node->what, .node = index};
	piece->row = words_cleaned(words_row(node));
	piece->name = words_cleaned(words_row_name(node));
	piece->part = part_of(model, story, graph, index, node);
	if (piece->what == WHAT_RUNNABLE && index != NODE_NONE)
		chain_hold(piece->part, graph, piece);
	piece->part->time += (double)span_between(from, to) / 1e9;
	piece->part->pieces++;
	story->from = from < story->from ? from : story->from;
	story->to = to > story->to ? to : story->to;
}

int story_path(const struct model *model, struct story *story, const struct graph *graph, const struct fields *fields)
{
	struct told_node told = {0};
	int64_t id, from, to;
	int32_t index;
	int status = 0;

	if (fields_integer(fields, "node", &id) != 1 || read_time(fields, "from", &from) != 1 ||
	    read_time(fields, "to", &to) != 1)
		return fail("a path record needs node=, from= and to= as numbers");
	if (from > to)
		return fail("a path piece ends before it starts");
	index = graph ? graph_find(graph, id) : NODE_NONE;
	if (index == NODE_NONE)
		status = read_told(model, &told, fields, id);
	if (status == 0)
		add_piece(model, story, graph, index, index == NODE_NONE ? &told.node : &graph->nodes.items[index], from, to);
	free(told.deed);
	return status;
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

/* As the graph has it: devices by their numbers; without deed by its name. */
static struct deed *raw_deed(const struct fields *fields)
{
	struct deed *deed = deed_read(fields);
	char *name;

	if (deed)
		return deed;
	name = fields_copy(fields, "name");
	deed = deed_text_copy(name ? name : "");
	free(name);
	return deed;
}

struct deed *deed_of_record(const struct model *model, const struct fields *fields)
{
	struct deed *deed = raw_deed(fields), *named = model_name_device(model, deed);

	free(deed);
	return named;
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
	culprit->deed = deed_of_record(model, fields);
	culprit->who = words_clean(culprit->deed->who ? culprit->deed->who : "");
	culprit->words = words_culprit(culprit->deed, 0, 0);
	culprit->fuller = words_culprit(culprit->deed, 0, 0);
	return 0;
}

void culprit_free(struct culprit *culprit)
{
	free(culprit->name);
	free(culprit->label);
	free(culprit->deed);
	free(culprit->who);
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

/* How many threads did this deed, or of the pool whose deed it is; where nobody did it, to how many it was done. */
static uint64_t threads_of(const struct graph *graph, const struct deed *deed)
{
	int32_t *tids = memory_new(graph->nodes.count + 1, sizeof(*tids));
	uint64_t threads = 0;
	size_t i, n = 0;

	for (i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];
		int32_t tid = node->deed->who ? node->who_tid : node->tid;

		if (tid > 0 && deed_covers(deed, node->deed))
			tids[n++] = tid;
	}
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		threads += i == 0 || tids[i] != tids[i - 1];
	free(tids);
	return threads;
}

int story_blame(const struct model *model, struct story *story, struct graph *graph, const struct fields *fields)
{
	struct culprit culprit;
	const struct deed *interned;
	struct deed *deed;

	if (culprit_read(model, &culprit, fields) < 0)
		return -1;
	if (graph && graph->kind == GRAPH_WAKE) {
		deed = raw_deed(fields);
		interned = graph_deed(graph, deed);
		culprit.threads = threads_of(graph, interned);
		culprit.processes = who_of_nodes(model->who, graph, interned, &culprit.identity);
		free(culprit.fuller);
		culprit.fuller = words_culprit(culprit.deed, culprit.threads, culprit.processes);
		free(deed);
	}
	*ARRAY_ADD(&story->culprits) = culprit;
	return 0;
}
