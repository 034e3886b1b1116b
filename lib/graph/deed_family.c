#include "graph/deed_family.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* SLIVER: the common deed may be wrong for one tenth of what a culprit did, rather than say less of the other nine. */
enum { SLIVER = 10, MEMBERS_MAX = 64 };

struct deed deed_family_of(const struct deed *deed)
{
	struct deed family = *deed;

	if (deed->kind == DEED_HOLD_CPU) {
		family.whom = NULL;
		family.cpu = CPU_NONE;
		family.function = NULL;
	}
	if (deed->kind == DEED_RUN)
		family.whom = NULL;
	return family;
}

void deed_family_add(struct deed_family *family, const struct deed *deed, double weight)
{
	family->weight += weight;
	for (size_t i = 0; i < family->members.count; i++)
		if (deed_equal(family->members.items[i].deed, deed)) {
			family->members.items[i].weight += weight;
			return;
		}
	if (family->members.count < MEMBERS_MAX)
		*ARRAY_ADD(&family->members) = (struct deed_family_member){deed_copy(deed), weight};
}

void deed_family_free(struct deed_family *family)
{
	for (size_t i = 0; i < family->members.count; i++)
		free(family->members.items[i].deed);
	free(family->members.items);
}

/* Orders the heaviest first. */
static int by_weight(const void *a, const void *b)
{
	const struct deed_family_member *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return deed_compare(x->deed, y->deed);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Leaves in `sum` what is true of both. If the waiters differ, the CPU is dropped as well. An `other` of NULL stands for any deed. */
static void join(struct deed *sum, const struct deed *other)
{
	if (sum->kind != DEED_HOLD_CPU && sum->kind != DEED_RUN)
		return;
	if (!other || !sum->whom || !other->whom || strcmp(sum->whom, other->whom) != 0)
		sum->whom = NULL;
	if (sum->kind == DEED_RUN)
		return;
	if (!other || !is_same(sum->function, other->function))
		sum->function = NULL;
	if (!other || !sum->whom || sum->cpu != other->cpu)
		sum->cpu = CPU_NONE;
}

struct deed *deed_family_common(struct deed_family *family)
{
	double most = family->weight - family->weight / SLIVER, covered = 0;
	size_t count = family->members.count;
	struct deed sum;

	if (count == 0)
		return NULL;
	qsort(family->members.items, count, sizeof(*family->members.items), by_weight);
	sum = *family->members.items[0].deed;
	for (size_t i = 0; i < count && covered <= most; i++) {
		join(&sum, family->members.items[i].deed);
		covered += family->members.items[i].weight;
	}
	if (covered <= most && count == MEMBERS_MAX)
		join(&sum, NULL);
	return deed_copy(&sum);
}

/* --- pools ------------------------------------------------------------------------------------------------------------- */

static bool is_shared(const struct deed *deed)
{
	return deed->who && deed_is(deed->kind, DEED_SHARED);
}

/* The end of the number at `at`, or in the name of a pool of the '*' that stands for several numbers; `at` itself if there is none. */
static size_t number_end(const struct deed *deed, size_t at)
{
	if (deed->pool && deed->who[at] == '*')
		return at + 1;
	while (isdigit((unsigned char)deed->who[at]))
		at++;
	return at;
}

static struct deed *with_who(const struct deed *deed, const char *who)
{
	struct deed pool = *deed;

	pool.who = who;
	pool.pool = true;
	if (pool.kind == DEED_RUN)
		pool.whom = NULL;
	return deed_copy(&pool);
}

struct deed *deed_pool(const struct deed *deed)
{
	struct deed *family = NULL;
	bool numbered = false;
	size_t n = 0, next;
	char *who;

	if (!is_shared(deed))
		return NULL;
	who = memory_new(strlen(deed->who) + 1, 1);
	for (size_t i = 0; deed->who[i]; i = next) {
		next = number_end(deed, i);
		numbered |= next > i;
		who[n++] = next > i ? '*' : deed->who[i];
		next += next == i;
	}
	if (numbered)
		family = with_who(deed, who);
	free(who);
	return family;
}

struct deed *deed_pool_join(const struct deed *pool, const struct deed *deed)
{
	size_t i = 0, j = 0, n = 0;
	char *who = memory_new(strlen(pool->who) + 1, 1);
	struct deed *joined;

	while (pool->who[i] && deed->who[j]) {
		size_t i_end = number_end(pool, i), j_end = number_end(deed, j);

		if (i_end == i)
			i_end = i + 1, j_end = j + 1; /* all names of a pool have the same character here */
		if (i_end - i == j_end - j && memcmp(pool->who + i, deed->who + j, i_end - i) == 0) {
			memcpy(who + n, pool->who + i, i_end - i);
			n += i_end - i;
		} else {
			who[n++] = '*';
		}
		i = i_end;
		j = j_end;
	}
	joined = with_who(pool, who);
	free(who);
	return joined;
}

/* Tells whether the deed's thread has a name of the pool. */
static bool has_thread(const struct deed *pool, const struct deed *deed)
{
	size_t i = 0, j = 0;

	while (pool->who[i] && deed->who[j]) {
		size_t i_end = number_end(pool, i), j_end = number_end(deed, j);

		if (pool->who[i] == '*' && j_end > j) {
			i++;
			j = j_end;
			continue;
		}
		i_end += i_end == i;
		j_end += j_end == j;
		if (i_end - i != j_end - j || memcmp(pool->who + i, deed->who + j, i_end - i) != 0)
			return false;
		i = i_end;
		j = j_end;
	}
	return !pool->who[i] && !deed->who[j];
}

static bool is_same_but_who(const struct deed *a, const struct deed *b)
{
	return a->kind == b->kind && is_same(a->text, b->text) && is_same(a->irq, b->irq) && is_same(a->softirq, b->softirq) &&
	       (a->kind == DEED_HOLD_CPU || a->kind == DEED_RUN || is_same(a->whom, b->whom)) && is_same(a->syscall, b->syscall) &&
	       is_same(a->object, b->object) && is_same(a->file, b->file) && is_same(a->group, b->group) && is_same(a->lock, b->lock) && is_same(a->purpose, b->purpose) &&
	       is_same(a->queue, b->queue) && is_same(a->request, b->request) && is_same(a->dev, b->dev) &&
	       is_same(a->scheduler, b->scheduler) && is_same(a->pace, b->pace) &&
	       (a->kind == DEED_HOLD_CPU || is_same(a->function, b->function));
}

bool deed_covers(const struct deed *ranked, const struct deed *deed)
{
	if (ranked == deed)
		return true;
	if (ranked->family && deed->family && !ranked->pool)
		return ranked->family == deed->family; /* both belong to one graph, which interns them */
	if (ranked->kind != deed->kind || !is_same_but_who(ranked, deed))
		return false;
	if (ranked->pool && !deed->pool && deed->who)
		return has_thread(ranked, deed);
	return is_same(ranked->who, deed->who);
}
