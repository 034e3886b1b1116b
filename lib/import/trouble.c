#include "import/trouble.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void troubles_count(struct troubles *troubles, const char *kind, bool missing, uint64_t number, uint64_t count)
{
	int i = 0;

	while (i < troubles->count && strcmp(troubles->items[i].kind, kind) != 0)
		i++;
	if (i == TROUBLES_MAX) {
		troubles->further += count;
		troubles->further_missing |= missing;
		return;
	}
	if (i == troubles->count)
		troubles->items[troubles->count++] = (struct trouble){
			memory_text(kind, strlen(kind)), memory_text(troubles->name, strlen(troubles->name)), missing, 0, number};
	troubles->items[i].count += count;
}

void troubles_say(const struct troubles *troubles, struct import *import)
{
	for (int i = 0; i < troubles->count; i++) {
		const struct trouble *trouble = &troubles->items[i];
		char count[NUMBER_ROOM];

		number_human_count(count, trouble->count);
		import_say(import, trouble->missing, "%s:%llu: %s (%s line%s)", trouble->name, (unsigned long long)trouble->first,
			   trouble->kind, count, trouble->count == 1 ? "" : "s");
	}
	if (troubles->further)
		import_say(import, troubles->further_missing, "%s: lines of further kinds: %llu", troubles->name,
			   (unsigned long long)troubles->further);
}

void troubles_free(struct troubles *troubles)
{
	for (int i = 0; i < troubles->count; i++) {
		free(troubles->items[i].kind);
		free(troubles->items[i].name);
	}
}
