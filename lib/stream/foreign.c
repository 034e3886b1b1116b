#include "stream/foreign.h"

#include <string.h>

const char *foreign_hint(const char *start, size_t length)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *hint;
	} known[] = {
		{"\x28\xb5\x2f\xfd", 4, "it is compressed; use zstdcat"},
		{"\x1f\x8b", 2, "it is compressed; use zcat"},
		{"\xfd" "7zXZ", 5, "it is compressed; use xzcat"},
		{"\x17\x08\x44tracing", 10, "it is a trace.dat file; use trace-import"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (length >= known[i].length && !memcmp(start, known[i].magic, known[i].length))
			return known[i].hint;
	return NULL;
}
