#include "base/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

char *listing_words(listing_name *name, const char *last, const char *marked)
{
	char *list = memory_text("", 0), *longer;

	for (size_t i = 0; name(i); i++) {
		longer = i == 0 ? memory_format("%s%s", name(i), marked)
				: memory_format(name(i + 1) ? "%s, %s" : "%s %s %s", list, name(i + 1) ? name(i) : last, name(i));
		free(list);
		list = longer;
	}
	return list;
}

int listing_find(const char *what, const char *word, listing_name *name)
{
	char *list;

	for (size_t i = 0; name(i); i++)
		if (!strcmp(name(i), word))
			return (int)i;
	list = listing_words(name, "and", "");
	fail("there is no %s '%s'; there are %s", what, word, list);
	free(list);
	return -1;
}
