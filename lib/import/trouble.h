/*
 * trouble: counts lines of a file that were not understood, by kind, and notes each kind with the first line that it was seen in.
 */
#ifndef IMPORT_TROUBLE_H
#define IMPORT_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "import/import_format.h"

enum { TROUBLES_MAX = 16 };

struct trouble {
	char *kind, *name;
	bool missing;
	uint64_t count, first; /* first: number of the first such line, in the file `name` */
};

/* All zero except the name: no lines were counted yet. */
struct troubles {
	const char *name; /* of the file that is being read */
	struct trouble items[TROUBLES_MAX];
	int count;
	uint64_t further; /* lines of further kinds */
	bool further_missing;
};

/* Counts `count` of this kind at a line of the file; `missing`: they may have been events. */
void troubles_count(struct troubles *troubles, const char *kind, bool missing, uint64_t number, uint64_t count);

/* Notes them all, "NAME:LINE: kind (count lines)". */
void troubles_say(const struct troubles *troubles, struct import *import);
void troubles_free(struct troubles *troubles);

#endif
