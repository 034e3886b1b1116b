#include "chart/parts.h"

#include <stdlib.h>

#include "base/memory.h"

void parts_pool_free(struct part_pool *pool)
{
	while (pool->spare) {
		struct part *part = pool->spare;

		pool->spare = part->next;
		free(part);
	}
	*pool = (struct part_pool){0};
}

static struct part *take(struct part_pool *pool, int64_t from, int64_t to, struct part *next)
{
	struct part *part = pool->spare;

	if (part)
		pool->spare = part->next;
	else
		part = NEW(struct part);
	pool->used++;
	*part = (struct part){from, to, next};
	return part;
}

static void drop_at(struct part_pool *pool, struct parts *parts, struct part **at)
{
	struct part *part = *at;

	*at = part->next;
	part->next = pool->spare;
	pool->spare = part;
	pool->used--;
	parts->count--;
}

struct parts parts_of(struct part_pool *pool, int64_t from, int64_t to)
{
	return from < to ? (struct parts){take(pool, from, to, NULL), 1} : (struct parts){0};
}

void parts_drop(struct part_pool *pool, struct parts *parts)
{
	while (parts->first)
		drop_at(pool, parts, &parts->first);
}

/* Cuts [from, to) out of the middle of a part. */
static void cut_in_two(struct part_pool *pool, struct parts *parts, struct part *part, int64_t from, int64_t to)
{
	int64_t before = from - part->from, behind = part->to - to;

	if (pool->used < PARTS_MAX && parts->count < PARTS_OF_ONE) {
		part->next = take(pool, to, part->to, part->next);
		parts->count++;
		part->to = from;
		return;
	}
	pool->overflowed++;
	if (behind > before)
		part->from = to;
	else
		part->to = from;
}

/* Cuts [from, to) out of the part that it lies in, and returns the link to the first part that may lie behind. */
static struct part **cut(struct part_pool *pool, struct parts *parts, struct part **at, int64_t from, int64_t to)
{
	struct part *part = *at;

	if (part->from == from && part->to == to) {
		drop_at(pool, parts, at);
		return at;
	}
	if (part->from < from && to < part->to)
		cut_in_two(pool, parts, part, from, to);
	else if (part->from < from)
		part->to = from;
	else
		part->from = to;
	return part->to <= from ? &part->next : at;
}

void parts_meet(struct part_pool *pool, struct parts *some, struct parts *others)
{
	struct part **one = &some->first, **other = &others->first;

	while (*one && *other) {
		int64_t from = (*one)->from > (*other)->from ? (*one)->from : (*other)->from;
		int64_t to = (*one)->to < (*other)->to ? (*one)->to : (*other)->to;

		if (from < to) {
			one = cut(pool, some, one, from, to);
			other = cut(pool, others, other, from, to);
		} else if ((*one)->to <= (*other)->to) {
			one = &(*one)->next;
		} else {
			other = &(*other)->next;
		}
	}
}
