#include "program/kallsyms.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

struct kallsym {
	uint64_t address;
	const char *name; /* ends before a tab or a newline */
};

static int compare(const void *left, const void *right)
{
	const struct kallsym *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static bool is_current(const struct kallsyms *kallsyms, const char *modules)
{
	return kallsyms->text && strcmp(kallsyms->modules ? kallsyms->modules : "", modules ? modules : "") == 0;
}

/* Lines are "ffffffff81000000 T name", with the module's "[name]" behind a tab; t, T, w and W are functions. */
void kallsyms_read(struct kallsyms *kallsyms)
{
	ARRAY(struct kallsym) found = {0};
	char *modules = file_read("/proc/modules", NULL), *text;

	if (is_current(kallsyms, modules)) {
		free(modules);
		return;
	}
	kallsyms_free(kallsyms);
	text = file_read("/proc/kallsyms", NULL);
	for (char *line = text, *end; line && *line; line = end + (*end == '\n')) {
		char *rest;
		uint64_t address = strtoull(line, &rest, 16);

		end = line + strcspn(line, "\n");
		if (address && end - rest > 3 && strchr("tTwW", rest[1]))
			*ARRAY_ADD(&found) = (struct kallsym){address, rest + 3};
	}
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare);
	*kallsyms = (struct kallsyms){text, modules, found.items, found.count};
}

const char *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, size_t *length)
{
	size_t low = COUNT_UNTIL(kallsyms->symbols, kallsyms->count, address, address);

	if (low == 0)
		return NULL;
	*length = strcspn(kallsyms->symbols[low - 1].name, "\t\n");
	return kallsyms->symbols[low - 1].name;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	free(kallsyms->modules);
	free(kallsyms->symbols);
	*kallsyms = (struct kallsyms){0};
}
