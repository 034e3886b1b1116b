#include "graph/rival.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A tenth of what a culprit did is not worth a name that says less of all the rest. */
enum { SLIVER = 10, NAMES_MAX = 64 };

static const char on[] = ": on CPU ", during[] = "while ", one[] = " was runnable", many[] = " were runnable";

/* The parts of a name: [0, who), [cpu, cpu + cpu_length), [waiter, waiter + waiter_length). */
struct parts {
	size_t who, cpu, cpu_length, waiter, waiter_length;
	bool several; /* waiters, not told of */
};

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* What follows the name of who: "1 while redis was runnable". */
static bool parse_rest(const char *name, size_t at, struct parts *parts)
{
	size_t length = strlen(name);

	parts->cpu = at;
	while (isdigit((unsigned char)name[at]))
		at++;
	parts->cpu_length = at - parts->cpu;
	at += parts->cpu_length > 0 && name[at] == ' ';
	if (strncmp(name + at, during, strlen(during)) != 0)
		return false;
	parts->waiter = at + strlen(during);
	parts->several = ends_with(name + parts->waiter, length - parts->waiter, many);
	if (!parts->several && !ends_with(name + parts->waiter, length - parts->waiter, one))
		return false;
	parts->waiter_length = length - parts->waiter - strlen(parts->several ? many : one);
	return true;
}

static bool parse(const char *name, struct parts *parts)
{
	for (const char *found = strstr(name, on); found; found = strstr(found + 1, on)) {
		parts->who = (size_t)(found - name);
		if (parse_rest(name, parts->who + strlen(on), parts))
			return true;
	}
	return false;
}

char *rival_spell(const char *who, uint32_t cpu, const char *waiter)
{
	return memory_format("%s%s%u %s%s%s", who, on, cpu, during, waiter, one);
}

char *rival_family(const char *name)
{
	struct parts parts;

	if (!parse(name, &parts))
		return memory_text(name, strlen(name));
	return memory_text(name, parts.who + strlen(on) - 1);
}

void rivals_add(struct rivals *rivals, const char *name, double weight)
{
	rivals->weight += weight;
	for (size_t i = 0; i < rivals->names.count; i++)
		if (strcmp(rivals->names.items[i].name, name) == 0) {
			rivals->names.items[i].weight += weight;
			return;
		}
	if (rivals->names.count < NAMES_MAX)
		*ARRAY_ADD(&rivals->names) = (struct rival){memory_text(name, strlen(name)), weight};
}

void rivals_free(struct rivals *rivals)
{
	for (size_t i = 0; i < rivals->names.count; i++)
		free(rivals->names.items[i].name);
	free(rivals->names.items);
}

/* The heaviest first. */
static int by_weight(const void *a, const void *b)
{
	const struct rival *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool same(const char *a, size_t a_from, size_t a_length, const char *b, size_t b_from, size_t b_length)
{
	return a_length == b_length && memcmp(a + a_from, b + b_from, a_length) == 0;
}

/* What is true of both: where the waiters differ, the CPU does not matter. Takes the first. NULL: of any. */
static char *join(char *name, const char *other)
{
	struct parts a, b;
	char *joined;

	if (!parse(name, &a) || (other && (!parse(other, &b) || strcmp(name, other) == 0)))
		return name;
	if (other && !a.several && !b.several && same(name, a.waiter, a.waiter_length, other, b.waiter, b.waiter_length))
		joined = memory_format("%.*s%s%s%.*s%s", (int)a.who, name, on, during, (int)a.waiter_length, name + a.waiter, one);
	else
		joined = memory_format("%.*s%s%sothers%s", (int)a.who, name, on, during, many);
	free(name);
	return joined;
}

char *rivals_name(struct rivals *rivals)
{
	double most = rivals->weight - rivals->weight / SLIVER, covered = 0;
	size_t count = rivals->names.count;
	char *name;

	if (count == 0)
		return memory_format("%s", "");
	qsort(rivals->names.items, count, sizeof(*rivals->names.items), by_weight);
	name = memory_text(rivals->names.items[0].name, strlen(rivals->names.items[0].name));
	for (size_t i = 0; i < count && covered <= most; i++) {
		name = join(name, rivals->names.items[i].name);
		covered += rivals->names.items[i].weight;
	}
	return covered <= most && count == NAMES_MAX ? join(name, NULL) : name;
}
