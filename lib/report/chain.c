/* A path in the order of who waits for whom, and who held the CPU while a thread waited for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/span.h"
#include "report/chain.h"
#include "report/words.h"

#define MOST 0.5	/* of a story's time must be in the part that the chain leads to */
#define COVERED 0.9	/* of the piece must be in each thread's wait for the next */

enum { LINKS_MAX = 16, HOLDERS_MAX = 64 };

/* For how much of a piece a node lasts, in nanoseconds. */
static double overlap(const struct node *node, int64_t from, int64_t to)
{
	int64_t begin = node->start > from ? node->start : from, end = node->end < to ? node->end : to;

	return end > begin ? (double)end - (double)begin : 0;
}

static bool is_thread(const struct node *node)
{
	return node->tid > 0 && (node->what == WHAT_RUN || node->what == WHAT_RUNNABLE || node->what == WHAT_WAIT);
}

static const struct node *node_of(const struct graph *graph, const struct piece *piece)
{
	return piece->node == NODE_NONE ? NULL : &graph->nodes.items[piece->node];
}

/* Where the time went: the longest piece of the part that took the most. NULL: no part took most of it. */
static const struct piece *main_piece(const struct story *story)
{
	const struct part *main = NULL;
	const struct piece *longest = NULL;

	for (const struct part *part = story->parts; part; part = part->hh.next)
		if (!main || part->time > main->time)
			main = part;
	if (!main || !(main->time >= MOST * story_length(story)))
		return NULL;
	for (size_t i = 0; i < story->pieces.count; i++) {
		const struct piece *piece = &story->pieces.items[i];

		if (piece->part == main &&
		    (!longest || span_between(piece->from, piece->to) > span_between(longest->from, longest->to)))
			longest = piece;
	}
	return longest;
}

/* The wait of a thread that holds most of the piece; NULL: there is none. */
static const struct node *wait_over(const struct graph *graph, int32_t tid, const struct piece *piece)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->tid == tid && node->what == WHAT_WAIT &&
		    overlap(node, piece->from, piece->to) >= COVERED * (double)span_between(piece->from, piece->to))
			return node;
	}
	return NULL;
}

struct link {
	const struct node *node; /* of the thread */
	const struct node *wait; /* for the next; NULL: it is the last, and does not wait for a thread */
};

/* Takes a thread that comes earlier on the path; one that is there already ends what came between. Returns how many there are. */
static size_t take(struct link *links, size_t count, const struct node *node)
{
	for (size_t i = 0; i < count; i++)
		if (links[i].node->tid == node->tid)
			return i + 1;
	if (count < LINKS_MAX)
		links[count++] = (struct link){.node = node};
	return count;
}

/* What has the name that the link's thread had meanwhile; later it may have another. */
static const struct node *named_then(const struct link *link, const struct node *piece)
{
	const struct node *then = link->wait ? link->wait : piece;

	return is_thread(then) && link->node->deed->kind != DEED_WORK ? then : link->node;
}

/*
 * What follows a piece on the path is whom its end woke, and whom that woke. So who waits for whom, from the thread
 * that was made to wait down to the piece, is read backward from the end. Only waits that last through the piece count.
 */
static size_t find_links(const struct story *story, const struct graph *graph, const struct piece *piece, struct link *links)
{
	size_t count = 0, kept = 0, i;

	for (i = story->pieces.count; i-- > 0;) {
		const struct node *node = node_of(graph, &story->pieces.items[i]);

		if (node && is_thread(node))
			count = take(links, count, node);
		if (&story->pieces.items[i] == piece)
			break;
	}
	if (count == 0 || graph->target == NODE_NONE || graph->nodes.items[graph->target].tid != links[0].node->tid)
		return 0;
	for (i = 0; i < count; i++) {
		links[i].wait = wait_over(graph, links[i].node->tid, piece);
		if (links[i].wait || node_of(graph, piece)->tid == links[i].node->tid)
			links[kept++] = (struct link){named_then(&links[i], node_of(graph, piece)), links[i].wait};
		else if (i == 0)
			return 0;
	}
	return kept;
}

/* What a kernel thread does for another is the other's deed, and the other would seem to wait for itself. */
static const char *raw_name(const struct link *link)
{
	return words_own_name(link->node);
}

/* The name of a thread, with its number where another in the chain has the same name. */
static char *name_of(const struct link *links, size_t count, size_t which)
{
	const char *name = raw_name(&links[which]);
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += !strcmp(name, raw_name(&links[i]));
	return words_cleaned(words_thread(name, alike > 1 || !strcmp(name, "?") ? links[which].node->tid : 0));
}

/* " (read tcp socket)"; "" where it is not known in what it waits. */
static char *reason_of(const struct node *wait)
{
	char *reason = words_reason(wait->deed), *clean, *words;

	if (!reason)
		return memory_format("%s", "");
	clean = words_cleaned(reason);
	words = memory_format(" (%s)", clean);
	free(clean);
	return words;
}

/* What the last one does: ", asleep in nanosleep (timer)"; without its name where that stands before it already. */
static void say_end(FILE *out, const struct link *last, const struct part *part)
{
	char *name = words_clean(raw_name(last));

	if (*part->about && !strcmp(part->about, name))
		fprintf(out, ", %s%s", part->behind, part->meanwhile);
	else
		fprintf(out, ": %s%s", part->words, part->meanwhile);
	free(name);
}

/* Whether it is known of each who it is. */
static bool are_named(const struct link *links, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!raw_name(&links[i]))
			return false;
	return true;
}

char *chain_words(const struct story *story, const struct graph *graph)
{
	const struct piece *piece = graph && graph->kind == GRAPH_WAKE ? main_piece(story) : NULL;
	struct link links[LINKS_MAX];
	size_t count = piece && piece->node != NODE_NONE ? find_links(story, graph, piece, links) : 0, size = 0, i;
	char *words = NULL, *name, *reason;
	FILE *out;

	if (count < 2 || !are_named(links, count))
		return NULL;
	out = open_memstream(&words, &size);
	for (i = 0; i < count; i++) {
		name = name_of(links, count, i);
		reason = i > 0 && links[i - 1].wait ? reason_of(links[i - 1].wait) : memory_format("%s", "");
		fprintf(out, "%s%s%s", i == 0 ? "" : i == 1 ? " waits for " : ", which waits for ", name, reason);
		free(reason);
		free(name);
	}
	say_end(out, &links[count - 1], piece->part);
	fclose(out);
	return words;
}

/* --- who held the CPU ------------------------------------------------------------------------------------------------- */

static struct holding *find_holding(struct part *part, const char *owner, bool throttled)
{
	for (size_t i = 0; i < part->holdings.count; i++)
		if (part->holdings.items[i].throttled == throttled && !strcmp(part->holdings.items[i].owner, owner))
			return &part->holdings.items[i];
	return NULL;
}

static void hold(struct part *part, const struct node *node, double seconds)
{
	char *owner = words_cleaned(words_row(node));
	bool throttled = node->deed->kind == DEED_THROTTLE_CPU;
	struct holding *holding = find_holding(part, owner, throttled);

	part->held += seconds;
	if (!holding && part->holdings.count < HOLDERS_MAX) {
		holding = ARRAY_ADD(&part->holdings);
		*holding = (struct holding){owner, words_cleaned(words_row_name(node)), throttled, 0};
		owner = NULL;
	}
	if (holding)
		holding->time += seconds;
	free(owner);
}

void chain_hold(struct part *part, const struct graph *graph, const struct piece *piece)
{
	size_t count, i;
	const struct edge *edges = graph_arriving(graph, piece->node, &count);

	for (i = 0; i < count; i++) {
		const struct node *node = &graph->nodes.items[edges[i].from];
		double time = overlap(node, piece->from, piece->to);

		if (edges[i].kind == EDGE_CPU && time > 0)
			hold(part, node, time / 1e9);
	}
}

/* For how long all of the same name as this one held it. */
static double held_by_name(const struct part *part, const struct holding *one)
{
	double time = 0;

	for (size_t i = 0; i < part->holdings.count; i++)
		if (!strcmp(part->holdings.items[i].name, one->name))
			time += part->holdings.items[i].time;
	return time;
}

char *chain_holders(const struct part *part)
{
	const struct holding *best = NULL;

	for (size_t i = 0; i < part->holdings.count; i++)
		if (!best || part->holdings.items[i].time > best->time)
			best = &part->holdings.items[i];
	if (!best)
		return memory_format("%s", "");
	if (best->time > part->time / 2 && best->throttled)
		return memory_format(", throttled at the limit of its CPU time");
	if (best->time > part->time / 2)
		return memory_format(", held by %s", best->owner);
	for (size_t i = 0; i < part->holdings.count; i++)
		if (held_by_name(part, &part->holdings.items[i]) > part->time / 2)
			return memory_format(", held by %s", part->holdings.items[i].name);
	if (part->held > part->time / 2)
		return memory_format(", held by several, for %.0f %% by %s", 100 * best->time / part->time, best->owner);
	return memory_format(", held by nobody known for %.*f %% of it", part->held < 0.1 * part->time ? 1 : 0,
			     100 - 100 * part->held / part->time);
}
