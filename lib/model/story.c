#include "model/story.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "graph/graph_record.h"
#include "graph/words.h"
#include "model/display.h"
#include "model/label.h"

#define SMALL 0.005 /* smaller shares of the story need not be alike in path and ranking */

enum { OFTEN = 5, HOLDERS_MAX = 64 }; /* OFTEN: from this number of sleeps on, the count is told */

struct story *story_new(const char *graph)
{
	struct story *story = NEW(struct story);

	story->graph = display_clean(graph);
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
	struct story_part *part, *next;
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
	for (i = 0; i < story->waits.count; i++)
		free(story->waits.items[i].row);
	for (i = 0; i < story->links.count; i++) {
		free(story->links.items[i].name);
		free(story->links.items[i].wait);
		free(story->links.items[i].queue);
		identity_free(&story->links.items[i].identity);
	}
	free(story->links.items);
	free(story->waits.items);
	free(story->pieces.items);
	free(story->culprits.items);
	free(story->chain);
	free(story->hint);
	free(story->graph);
	free(story->root);
	free(story->root_name);
	free(story);
}

double story_length(const struct story *story)
{
	return (double)timestamp_between(story->from, story->to) / 1e9;
}

double story_share(const struct story *story, const struct story_part *part)
{
	return story->to > story->from ? part->time / story_length(story) : NAN;
}

bool story_hides_slivers(const struct story *story)
{
	const struct story_part *part;
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

/* --- who held the CPU while a thread waited for it -------------------------------------------------------------------------- */

static struct holding *find_holding(struct story_part *part, const char *owner, bool throttled)
{
	for (size_t i = 0; i < part->holdings.count; i++)
		if (part->holdings.items[i].throttled == throttled && !strcmp(part->holdings.items[i].owner, owner))
			return &part->holdings.items[i];
	return NULL;
}

/* Takes over `owner` and `name`. */
static void hold(struct story_part *part, char *owner, char *name, bool throttled, double seconds)
{
	struct holding *holding = find_holding(part, owner, throttled);

	part->held += seconds;
	if (!holding && part->holdings.count < HOLDERS_MAX) {
		holding = ARRAY_ADD(&part->holdings);
		*holding = (struct holding){owner, name, throttled, 0};
		owner = name = NULL;
	}
	if (holding)
		holding->time += seconds;
	free(owner);
	free(name);
}

/* The time of the piece that the node covers, in nanoseconds. */
static double overlap(const struct node *node, const struct story_piece *piece)
{
	int64_t begin = node->start > piece->from ? node->start : piece->from, end = node->end < piece->to ? node->end : piece->to;

	return end > begin ? (double)end - (double)begin : 0;
}

/*
 * Adds to the piece's part who held the CPU during a piece in which a thread was runnable, or whose requests were served during one in which a
 * request was in a queue.
 */
static void count_holders(struct story_part *part, const struct graph *graph, const struct story_piece *piece)
{
	enum edge_kind kind = piece->what == WHAT_QUEUE ? EDGE_QUEUE : EDGE_CPU;
	size_t count, i;
	const struct edge *edges = graph_arriving(graph, piece->node, &count);

	for (i = 0; i < count; i++) {
		const struct node *node = &graph->nodes.items[edges[i].from];
		double time = overlap(node, piece);

		if (edges[i].kind != kind || time <= 0)
			continue;
		if (kind == EDGE_CPU)
			hold(part, display_cleaned(words_row(node)), display_cleaned(words_row_name(node)), node->deed->kind == DEED_THROTTLE_CPU, time / 1e9);
		else if (node->deed->who)
			hold(part, display_cleaned(words_thread(node->deed->who, node->tid)), NULL, false, time / 1e9);
		else
			part->held += time / 1e9;
	}
}

static const struct holding *longest_holding(const struct story_part *part)
{
	const struct holding *best = NULL;

	for (size_t i = 0; i < part->holdings.count; i++)
		if (!best || part->holdings.items[i].time > best->time)
			best = &part->holdings.items[i];
	return best;
}

static bool is_packet(const struct deed *deed)
{
	return deed->request && strcmp(deed->request, "packet") == 0;
}

/* " while requests of dd/2216 were served"; NULL: not nearly all are one thread's. */
static char *say_whose(const struct story_part *part)
{
	const struct holding *best = longest_holding(part);
	bool packets = is_packet(part->deed);

	if (!best || best->time < 0.9 * part->held)
		return NULL;
	return memory_format(" while %s of %s were %s", packets ? "packets" : "requests", best->owner, packets ? "let out" : "served");
}

/* The seconds for which all threads with this one's name held the CPU. */
static double held_by_name(const struct story_part *part, const struct holding *one)
{
	double time = 0;

	for (size_t i = 0; i < part->holdings.count; i++)
		if (!strcmp(part->holdings.items[i].name, one->name))
			time += part->holdings.items[i].time;
	return time;
}

/* ", held by hogger/12". If the CPU was idle, says nothing: the ranking tells who had it before. */
static char *say_holders(const struct story_part *part)
{
	const struct holding *best = longest_holding(part);

	if (!best || part->deed->purpose)
		return memory_format("%s", "");
	if (best->time > part->time / 2 && best->throttled)
		return memory_format(", throttled at the limit of its CPU time");
	if (best->time > part->time / 2)
		return memory_format(", held by %s", best->owner);
	for (size_t i = 0; i < part->holdings.count; i++)
		if (held_by_name(part, &part->holdings.items[i]) > part->time / 2)
			return memory_format(", held by %s", part->holdings.items[i].name);
	if (part->held > part->time / 2)
		return memory_format(", held by several threads, longest by %s (%.0f %%)", best->owner, 100 * best->time / part->time);
	return memory_format(", held by unknown threads for %.*f %% of it", part->held < 0.1 * part->time ? 1 : 0,
			     100 - 100 * part->held / part->time);
}

/* ", 1,200 times": a thread that sleeps again and again polls something in between; no event says what. */
static char *say_often(const struct story_part *part)
{
	char number[NUMBER_ROOM];

	number_human_count(number, part->nodes);
	return memory_format(", %s times", number);
}

/* A hint if a thread just ran for most of the time. Events do not tell computing from spinning; only stacks tell the function. */
static char *say_hint(const struct story *story)
{
	for (const struct story_part *part = story->parts; part && !story->stacks; part = part->hh.next)
		if (part->what == WHAT_RUN && part->deed->kind == DEED_RUN && *part->about && 2 * part->time >= story_length(story))
			return memory_format("%s was computing or spinning: --stack tells in what", part->about);
	return NULL;
}

/* The circumstance of all pieces of the part together; NULL: the one that its pieces share stays. */
static char *say_all(const struct story_part *part)
{
	if (part->what == WHAT_RUNNABLE)
		return say_holders(part);
	if (part->what == WHAT_QUEUE)
		return say_whose(part);
	return part->what == WHAT_TIMER && part->nodes >= OFTEN ? say_often(part) : NULL;
}

void story_close(struct story *story)
{
	story->closed = true;
	if (story->kind == GRAPH_WAKE && story_length(story) > 0)
		story->hint = say_hint(story);
	for (struct story_part *part = story->parts; part; part = part->hh.next) {
		char *meanwhile = say_all(part);

		if (!meanwhile)
			continue;
		free(part->meanwhile);
		part->meanwhile = meanwhile;
	}
}

/* --- the path ------------------------------------------------------------------------------------------------------------ */

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* The number of different threads, without the node's own, from which edges of a kind arrive; *sources is the number of these edges. */
static uint64_t others_behind(const struct graph *graph, int32_t index, enum edge_kind kind, uint64_t *sources)
{
	size_t count, i, n = 0;
	const struct edge *edges = graph_arriving(graph, index, &count);
	int32_t *tids = memory_new(count + 1, sizeof(*tids));
	int32_t self = graph->nodes.items[index].tid, tid;
	uint64_t others = 0;

	*sources = 0;
	for (i = 0; i < count; i++) {
		if (edges[i].kind != kind)
			continue;
		++*sources;
		tid = graph->nodes.items[edges[i].from].tid;
		if (tid != self)
			tids[n++] = tid;
	}
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		others += tids[i] != 0 && (i == 0 || tids[i] != tids[i - 1]);
	free(tids);
	return others;
}

/* " while 9,412 requests of 319 others were served"; " while packets of 2 others were let out" */
static char *say_served(const struct graph *graph, int32_t index)
{
	const struct deed *deed = graph->nodes.items[index].deed;
	uint64_t requests, others = others_behind(graph, index, EDGE_QUEUE, &requests);
	bool packets = is_packet(deed);
	char *served, *whose, *words;

	if (requests == 0)
		return memory_format("%s", "");
	served = packets ? memory_format("packets") : value_count(requests, "request");
	whose = value_count(others, "other");
	words = memory_format(" while %s%s%s %s %s", served, others ? " of " : "", others ? whose : "",
			      requests == 1 && !packets ? "was" : "were", packets ? "let out" : "served");
	free(served);
	free(whose);
	return words;
}

static char *say_meanwhile(const struct graph *graph, int32_t index)
{
	switch (graph->nodes.items[index].what) {
	case WHAT_QUEUE:
		return say_served(graph, index);
	case WHAT_RUN:
		return display_cleaned(words_circumstance(&graph->nodes.items[index]));
	default:
		return memory_format("%s", "");
	}
}

/* Finds or makes the part with these words. Takes over both texts; the caller fills in the rest of a new part. */
static struct story_part *story_part(struct story *story, enum node_what what, char *words, char *meanwhile, bool *is_new)
{
	struct story_part *part;

	HASH_FIND_STR(story->parts, words, part);
	*is_new = !part;
	if (part) {
		/* The circumstance of one piece is not true of all of them. */
		if (strcmp(part->meanwhile, meanwhile)) {
			free(part->meanwhile);
			part->meanwhile = memory_format("%s", "");
		}
		free(words);
		free(meanwhile);
		return part;
	}
	part = NEW(struct story_part);
	part->what = what;
	part->last_node = NODE_NONE;
	part->words = words;
	part->meanwhile = meanwhile;
	HASH_ADD_KEYPTR(hh, story->parts, part->words, strlen(part->words), part);
	return part;
}

/* How the words see the node: VIEW_OWN if the graph is about the node's thread, whose requests then need no name; VIEW_OPEN if it had not ended. */
static int view_of(const struct story *story, const struct graph *graph, const struct node *node)
{
	int32_t target = graph && graph->target != NODE_NONE ? graph->nodes.items[graph->target].tid : 0;
	bool own = target && target == node->tid, ended = story->signal && !story->signal->open && target && (target == node->whom_tid || target == node->tid);
	bool open = graph && node->end >= graph->to && !ended;

	return (own ? VIEW_OWN : 0) | (open ? VIEW_OPEN : 0);
}

static struct story_part *part_of(const struct site *site, struct story *story, const struct graph *graph, int32_t index,
			    const struct node *node)
{
	struct sentence sentence = words_sentence(node, view_of(story, graph, node));
	char *meanwhile = index == NODE_NONE ? memory_format("%s", "") : say_meanwhile(graph, index);
	bool is_new;
	struct story_part *part = story_part(story, node->what, display_cleaned(sentence_words(&sentence)), meanwhile, &is_new);

	if (is_new) {
		part->act = sentence.of_row ? display_clean(sentence.predicate) : memory_format("%s", part->words);
		part->about = display_clean(*sentence.joint ? sentence.about : "");
		part->behind = display_clean(sentence.predicate);
		part->deed = label_deed(site, node->deed);
	}
	sentence_free(&sentence);
	return part;
}

/* A node made from its path record, for a missing node record. */
struct told_node {
	struct node node;
	struct deed *deed; /* with devices by name */
};

static int read_told(const struct site *site, struct told_node *told, const struct fields *fields, int64_t id)
{
	struct deed_record record;
	char *text = memory_format("node %" PRId64, id);
	int status;

	if (!deed_record_read(&record, fields))
		record.deed.text = text;
	told->deed = label_deed(site, &record.deed);
	told->node.what = (uint8_t)node_what_read(fields, WHAT_UNKNOWN);
	told->node.deed = told->deed;
	status = node_read_tids(fields, &record, &told->node);
	deed_record_free(&record);
	free(text);
	return status;
}

static void add_piece(const struct site *site, struct story *story, const struct graph *graph, int32_t index, const struct node *node,
		      int64_t from, int64_t to)
{
	struct story_piece *piece = ARRAY_ADD(&story->pieces);

	*piece = (struct story_piece){.from = from, .to = to, .what = node->what, .node = index};
	piece->row = display_cleaned(words_row(node));
	piece->name = display_cleaned(words_row_name(node));
	piece->part = part_of(site, story, graph, index, node);
	if ((piece->what == WHAT_RUNNABLE || piece->what == WHAT_QUEUE) && index != NODE_NONE)
		count_holders(piece->part, graph, piece);
	piece->part->time += (double)timestamp_between(from, to) / 1e9;
	piece->part->pieces++;
	piece->part->nodes += index == NODE_NONE || index != piece->part->last_node;
	piece->part->last_node = index;
	story->from = from < story->from ? from : story->from;
	story->to = to > story->to ? to : story->to;
}

static bool has_stacks(const struct graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.items[i].stack || (graph->nodes.items[i].deed && graph->nodes.items[i].deed->function))
			return true;
	return false;
}

int story_path(const struct site *site, struct story *story, const struct graph *graph, const struct fields *fields)
{
	struct told_node told = {0};
	int64_t id, from, to;
	int32_t index;
	int status = 0;

	if (fields_integer(fields, "node", &id) != 1 || time_read(fields, "from", &from) != 1 ||
	    time_read(fields, "to", &to) != 1)
		return fail("a path record needs node=, from= and to= as numbers");
	if (from > to)
		return fail("a path piece ends before it starts");
	index = graph ? graph_find(graph, id) : NODE_NONE;
	if (index == NODE_NONE)
		status = read_told(site, &told, fields, id);
	if (graph && !story->pieces.count)
		story->stacks = has_stacks(graph);
	if (status == 0)
		add_piece(site, story, graph, index, index == NODE_NONE ? &told.node : &graph->nodes.items[index], from, to);
	free(told.deed);
	return status;
}

/* --- the ranking --------------------------------------------------------------------------------------------------------- */

/* Tells whether a ranked name and a part of the path are the same thing. Not for a queue: its words do not name the culprit. */
static bool is_part(const struct culprit *culprit, const struct story_part *part)
{
	if (part->what == WHAT_QUEUE || part->what == WHAT_SERVICE || part->what == WHAT_UNKNOWN || culprit->timeless)
		return false;
	if (part->what == WHAT_METHOD && strcmp(part->words, culprit->words) != 0)
		return false;
	if (part->what == WHAT_RUNNABLE && culprit->threads > 1)
		return false; /* the path names at most one thread */
	return fabs(culprit->score - part->time) <= part->time / 1000;
}

bool story_is_ranked_alike(const struct story *story)
{
	const struct story_part *part = story->parts;
	size_t i;

	for (i = 0; i < story->culprits.count && part; i++, part = part->hh.next) {
		if (story_share(story, part) < SMALL && story->culprits.items[i].share < SMALL)
			return true;
		if (!is_part(&story->culprits.items[i], part))
			return false;
	}
	return i > 0 && i == story->culprits.count && !part;
}

int story_blame(const struct site *site, struct story *story, struct graph *graph, const struct fields *fields)
{
	struct culprit culprit;

	if (culprit_read(site, &culprit, fields) < 0)
		return -1;
	if (graph && graph->kind == GRAPH_WAKE)
		culprit_count(&culprit, site, graph, fields);
	*ARRAY_ADD(&story->culprits) = culprit;
	return 0;
}

/* --- in words ------------------------------------------------------------------------------------------------------------ */

/* If the graph begins later than its signal, or ends earlier, the sentence says which part of the signal the graph explains. */
static char *say_explained(const struct site *site, const struct story *story)
{
	char *words = signal_words(site, story->signal), *time, *both;
	bool late = story->from > story->signal->start && story->to == story->signal->ts;
	bool early = story->from == story->signal->start && story->to < story->signal->ts;

	if (story->kind != GRAPH_WAKE || (!late && !early))
		return words;
	time = value_seconds(story_length(story));
	both = memory_format(late ? "%s (the last %s in the data)" : "%s (the first %s explained)", words, time);
	free(time);
	free(words);
	return both;
}

char *story_words(const struct site *site, const struct story *story)
{
	char *time, *words;

	if (story->signal)
		return say_explained(site, story);
	if (story_length(story) == 0)
		return memory_format("graph %s%s%s", story->graph, *story->root ? " of " : "", story->root);
	time = value_seconds(story_length(story));
	if (*story->root && story->kind == GRAPH_WAKE)
		words = memory_format("%s of %s (graph %s)", time, story->root, story->graph);
	else if (*story->root)
		words = memory_format("%s took %s (graph %s)", story->root, time, story->graph);
	else
		words = memory_format("graph %s took %s", story->graph, time);
	free(time);
	return words;
}
