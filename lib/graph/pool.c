#include "graph/pool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* How long the name of the thread is with which a node's name begins; 0: it begins with none. */
static size_t thread_length(const char *name)
{
	static const char *const deeds[] = {": running", ": on CPU ", ": work on ", ": spinning for ", ": reclaiming "};
	static const char service[] = " in service";
	const char *found = strstr(name, ": ");
	size_t length = strlen(name);

	if (found && length > strlen(service) && !strcmp(name + length - strlen(service), service))
		return (size_t)(found - name);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if ((found = strstr(name, deeds[i])))
			return (size_t)(found - name);
	return 0;
}

/* Passes over a number, or the '*' that stands for several. */
static size_t number_end(const char *name, size_t at, size_t end)
{
	if (at < end && name[at] == '*')
		return at + 1;
	while (at < end && isdigit((unsigned char)name[at]))
		at++;
	return at;
}

char *pool_family(const char *name)
{
	size_t length = thread_length(name), n = 0, next;
	char *family = memory_new(strlen(name) + 1, 1); /* zeroed */
	bool numbered = false;

	for (size_t i = 0; i < length; i = next) {
		next = number_end(name, i, length);
		numbered |= next > i;
		family[n++] = next > i ? '*' : name[i];
		next += next == i;
	}
	strcpy(family + n, name + length);
	if (numbered)
		return family;
	free(family);
	return NULL;
}

char *pool_join(const char *pool, const char *name)
{
	size_t length = thread_length(pool), other = thread_length(name), i = 0, j = 0, n = 0;
	char *joined = memory_new(strlen(pool) + 1, 1); /* zeroed */

	while (i < length && j < other) {
		size_t i_end = number_end(pool, i, length), j_end = number_end(name, j, other);

		if (i_end == i)
			i_end = i + 1, j_end = j + 1; /* the same in all names of a family */
		if (i_end - i == j_end - j && memcmp(pool + i, name + j, i_end - i) == 0) {
			memcpy(joined + n, pool + i, i_end - i);
			n += i_end - i;
		} else {
			joined[n++] = '*';
		}
		i = i_end;
		j = j_end;
	}
	strcpy(joined + n, pool + length);
	return joined;
}

bool pool_has(const char *pool, const char *name)
{
	char *family, *other, *joined;
	bool has = strcmp(pool, name) == 0;

	if (has || !memchr(pool, '*', thread_length(pool)))
		return has;
	family = pool_family(pool);
	other = pool_family(name);
	if (other && strcmp(family, other) == 0) {
		joined = pool_join(pool, name);
		has = strcmp(joined, pool) == 0;
		free(joined);
	}
	free(family);
	free(other);
	return has;
}
