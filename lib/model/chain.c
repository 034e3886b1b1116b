#include "model/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timestamp.h"
#include "graph/words.h"
#include "model/display.h"
#include "model/label.h"

#define MOST 0.5	/* the part to which the chain leads must take this share of the story's time */
#define COVERED 0.9	/* each thread's wait for the next must cover this share of the piece */

enum { LINKS_MAX = 16 };

/* The time between from and to that the node covers, in nanoseconds. */
static double overlap(const struct node *node, int64_t from, int64_t to)
{
	int64_t begin = node->start > from ? node->start : from, end = node->end < to ? node->end : to;

	return end > begin ? (double)end - (double)begin : 0;
}

static bool is_thread(const struct node *node)
{
	return node->tid > 0 && (node->what == WHAT_RUN || node->what == WHAT_RUNNABLE || node->what == WHAT_WAIT);
}

static const struct node *node_of(const struct graph *graph, const struct story_piece *piece)
{
	return piece->node == NODE_NONE ? NULL : &graph->nodes.items[piece->node];
}

/* The piece in which most of the time went: the longest one of the part that took the most time. NULL: no part took MOST of it. */
static const struct story_piece *main_piece(const struct story *story)
{
	const struct story_part *main = NULL;
	const struct story_piece *longest = NULL;

	for (const struct story_part *part = story->parts; part; part = part->hh.next)
		if (!main || part->time > main->time)
			main = part;
	if (!main || !(main->time >= MOST * story_length(story)))
		return NULL;
	for (size_t i = 0; i < story->pieces.count; i++) {
		const struct story_piece *piece = &story->pieces.items[i];

		if (piece->part == main &&
		    (!longest || timestamp_between(piece->from, piece->to) > timestamp_between(longest->from, longest->to)))
			longest = piece;
	}
	return longest;
}

static bool lasts_through(const struct node *node, const struct story_piece *piece)
{
	return overlap(node, piece->from, piece->to) >= COVERED * (double)timestamp_between(piece->from, piece->to);
}

/* The wait of a thread that lasts through the piece; NULL: there is none. */
static const struct node *wait_over(const struct graph *graph, int32_t tid, const struct story_piece *piece)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->tid == tid && node->what == WHAT_WAIT && lasts_through(node, piece))
			return node;
	}
	return NULL;
}

struct link {
	const struct node *node; /* a node of the thread */
	const struct node *wait; /* its wait for the next thread; NULL: the last thread waits for no thread */
};

/* Adds the thread of a node that comes earlier on the path; if the thread is there already, drops those after it. Returns the new count. */
static size_t take(struct link *links, size_t count, const struct node *node)
{
	for (size_t i = 0; i < count; i++)
		if (links[i].node->tid == node->tid)
			return i + 1;
	if (count < LINKS_MAX)
		links[count++] = (struct link){.node = node};
	return count;
}

/* The node with the name that the link's thread had during the piece; later it may have another name. */
static const struct node *named_then(const struct link *link, const struct node *piece)
{
	const struct node *then = link->wait ? link->wait : piece;

	return is_thread(then) && link->node->deed->kind != DEED_WORK ? then : link->node;
}

/* The wait of another thread whose end ended this wait, if it lasts through the piece, too; NULL: there is none. */
static const struct node *wait_behind(const struct graph *graph, const struct node *wait, const struct story_piece *piece)
{
	size_t count;
	const struct edge *edges = graph_arriving(graph, (int32_t)(wait - graph->nodes.items), &count);

	for (size_t i = 0; i < count; i++) {
		const struct node *node = &graph->nodes.items[edges[i].from];

		if (edges[i].kind == EDGE_WAKE && node->what == WHAT_WAIT && node->tid != wait->tid && lasts_through(node, piece))
			return node;
	}
	return NULL;
}

static bool is_link(const struct link *links, size_t count, int32_t tid)
{
	for (size_t i = 0; i < count; i++)
		if (links[i].node->tid == tid)
			return true;
	return false;
}

/*
 * Adds two kinds of threads that find_links() misses: a thread that only waits has no piece on the path, and a thread that wakes up in between, looks
 * around, and waits on, is on the path only further back. Finds both by the waits whose ends ended other waits. Returns the new count.
 */
static size_t fill_in(const struct graph *graph, const struct story_piece *piece, struct link *links, size_t count)
{
	for (size_t i = 0; i < count && count < LINKS_MAX; i++) {
		const struct node *wait = links[i].wait ? wait_behind(graph, links[i].wait, piece) : NULL;

		if (!wait || is_link(links, count, wait->tid))
			continue;
		memmove(&links[i + 2], &links[i + 1], (count++ - i - 1) * sizeof(*links));
		links[i + 1] = (struct link){wait, wait};
	}
	return count;
}

/*
 * On the path, a piece is followed by the thread that its end woke, that one by the thread that it woke, and so on. So reading the path
 * backward from its end to the piece gives the chain of waits, beginning with the graph's target. Only waits that last through the piece count.
 */
static size_t find_links(const struct story *story, const struct graph *graph, const struct story_piece *piece, struct link *links)
{
	const struct node *target = graph->target == NODE_NONE ? NULL : &graph->nodes.items[graph->target];
	size_t count = 0, kept = 0, i;

	for (i = story->pieces.count; i-- > 0;) {
		const struct node *node = node_of(graph, &story->pieces.items[i]);

		if (node && is_thread(node))
			count = take(links, count, node);
		if (&story->pieces.items[i] == piece)
			break;
	}
	/* The target waits to the end of the data, so the path does not end in it. */
	if (target && is_thread(target) && target->what == WHAT_WAIT && !is_link(links, count, target->tid) && count < LINKS_MAX) {
		memmove(&links[1], &links[0], count++ * sizeof(*links));
		links[0] = (struct link){.node = target};
	}
	if (count == 0 || !target || target->tid != links[0].node->tid)
		return 0;
	for (i = 0; i < count; i++) {
		links[i].wait = wait_over(graph, links[i].node->tid, piece);
		if (links[i].wait || node_of(graph, piece)->tid == links[i].node->tid)
			links[kept++] = (struct link){named_then(&links[i], node_of(graph, piece)), links[i].wait};
		else if (i == 0)
			return 0;
	}
	return fill_in(graph, piece, links, kept);
}

/* The thread's own name, not the deed's: a kernel thread's work counts as the deed of the thread that it serves, which would wait for itself. */
static const char *raw_name(const struct link *link)
{
	return words_own_name(link->node);
}

/* The name, with the thread's number if another link has the same name. */
static char *name_of(const struct chain_link *link)
{
	bool numbered = link->alike || !strcmp(link->name, "?");

	return words_thread(link->name, numbered ? link->tid : 0);
}

/* " (read tcp socket, behind 312 others)"; "" if the reason of the wait is unknown. */
static char *reason_of(const struct chain_link *link)
{
	char *reason = link && link->wait ? words_reason(link->wait) : NULL, *clean, *words;

	if (!reason)
		return memory_format("%s", "");
	clean = display_cleaned(reason);
	words = memory_format(" (%s%s%s)", clean, link->queue ? ", " : "", link->queue ? link->queue : "");
	free(clean);
	return words;
}

/* The deed of the last thread: ", asleep in nanosleep (timer)", or ": words" if these do not begin with its name. */
static void say_end(FILE *out, const struct chain_link *last, const struct story_part *part)
{
	if (*part->about && !strcmp(part->about, last->name))
		fprintf(out, ", %s%s", part->behind, part->meanwhile);
	else
		fprintf(out, ": %s%s", part->words, part->meanwhile);
}

static char *chain_words(const struct story *story, const struct story_part *part)
{
	char *words = NULL, *name, *reason;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);

	for (size_t i = 0; i < story->links.count; i++) {
		name = name_of(&story->links.items[i]);
		reason = reason_of(i > 0 ? &story->links.items[i - 1] : NULL);
		fprintf(out, "%s%s%s", i == 0 ? "" : i == 1 ? " waits for " : " > ", name, reason);
		free(reason);
		free(name);
	}
	say_end(out, &story->links.items[story->links.count - 1], part);
	fclose(out);
	return words;
}

/* Tells whether every thread has a name. */
static bool are_named(const struct link *links, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!raw_name(&links[i]))
			return false;
	return true;
}

static char *clean_queue(const struct node *wait)
{
	char *queue = words_queue(wait);

	return queue ? display_cleaned(queue) : NULL;
}

static void add_link(struct story *story, const struct site *site, const struct link *link)
{
	const struct node *node = link->wait ? link->wait : link->node;
	struct chain_link new = {.tid = link->node->tid, .name = display_clean(raw_name(link))};
	struct identity identity;

	if (process_table_find(site->who, new.tid, node->end == TIME_NONE ? node->start : node->end, new.name, &identity))
		new.identity = identity_copy(&identity);
	if (link->wait)
		new.wait = label_deed(site, link->wait->deed);
	if (link->wait)
		new.queue = clean_queue(link->wait);
	for (size_t i = 0; i < story->links.count; i++)
		if (!strcmp(story->links.items[i].name, new.name))
			new.alike = story->links.items[i].alike = true;
	*ARRAY_ADD(&story->links) = new;
}

void chain_find(struct story *story, const struct site *site, const struct graph *graph)
{
	const struct story_piece *piece = graph && graph->kind == GRAPH_WAKE ? main_piece(story) : NULL;
	struct link links[LINKS_MAX];
	size_t count = piece && piece->node != NODE_NONE ? find_links(story, graph, piece, links) : 0;

	if (!are_named(links, count))
		return;
	for (size_t i = 0; i < count; i++)
		add_link(story, site, &links[i]);
	if (count > 1)
		story->chain = chain_words(story, piece->part);
}

/* --- waits of the path's threads ---------------------------------------------------------------------------------------- */

struct waits {
	ARRAY(const struct node *) nodes; /* by thread, then by end */
};

static int by_thread_and_end(const void *a, const void *b)
{
	const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void collect_waits(struct waits *waits, const struct graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.items[i].what == WHAT_WAIT && graph->nodes.items[i].tid > 0)
			*ARRAY_ADD(&waits->nodes) = &graph->nodes.items[i];
	if (waits->nodes.count > 0)
		qsort(waits->nodes.items, waits->nodes.count, sizeof(*waits->nodes.items), by_thread_and_end);
}

/* The wait of this thread that ends at this time; NULL: none does. */
static const struct node *wait_until(const struct waits *waits, int32_t tid, int64_t end)
{
	const struct node key = {.tid = tid, .end = end}, *wanted = &key;
	const struct node **found = NULL;

	if (waits->nodes.count > 0)
		found = bsearch(&wanted, waits->nodes.items, waits->nodes.count, sizeof(*waits->nodes.items), by_thread_and_end);
	return found ? *found : NULL;
}

static void add_wait(struct story *story, const struct node *wait, const char *row, size_t waker)
{
	int64_t from = wait->start > story->from ? wait->start : story->from, to = wait->end < story->to ? wait->end : story->to;

	if (from < to)
		*ARRAY_ADD(&story->waits) = (struct path_wait){memory_text(row, strlen(row)), from, to, waker};
}

/* Adds the wait that the graph is about, if it had not ended. */
static void add_open_wait(struct story *story, const struct graph *graph)
{
	const struct node *target = graph->target == NODE_NONE ? NULL : &graph->nodes.items[graph->target];
	char *row;

	if (!target || target->what != WHAT_WAIT || target->end < story->to)
		return;
	row = display_cleaned(words_row(target));
	add_wait(story, target, row, NO_PIECE);
	free(row);
}

void chain_waits(struct story *story, const struct graph *graph)
{
	struct waits waits = {0};

	if (!graph || graph->kind != GRAPH_WAKE)
		return;
	collect_waits(&waits, graph);
	for (size_t i = 1; i < story->pieces.count; i++) {
		const struct story_piece *piece = &story->pieces.items[i];
		const struct node *node = node_of(graph, piece), *wait;

		if (!node || !is_thread(node) || node->what == WHAT_WAIT || !strcmp(piece->row, piece[-1].row))
			continue;
		wait = wait_until(&waits, node->tid, piece->from);
		if (wait)
			add_wait(story, wait, piece->row, i - 1);
	}
	add_open_wait(story, graph);
	free(waits.nodes.items);
}
