#include "run/calls_of.h"

#include <string.h>

bool calls_of_feature(const char *name, struct calls_of *calls)
{
	static const char *const kinds[] = {"count.", "errors.", "time.", "result.", "arg.", "sum.", "rate.", "next.", "gap."};
	const char *rest = NULL, *dash;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !rest; i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			rest = name + strlen(kinds[i]);
	if (!rest || !strcmp(name, "time.outside"))
		return false;
	dash = *name == 'n' || *name == 'g' ? strchr(rest, '-') : NULL;
	*calls = (struct calls_of){.first = rest, .first_length = dash ? (size_t)(dash - rest) : strlen(rest), .gap = dash};
	if (dash) {
		calls->second = dash + 1;
		calls->second_length = strlen(dash + 1);
	}
	return true;
}
