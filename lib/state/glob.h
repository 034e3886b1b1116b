/*
 * glob: patterns of paths. `*` stands for any bytes but '/', `**` for any bytes; as a whole component, `**` stands for at least one byte. A
 * pattern that does not begin with '/' may begin at any component of a path; one that does, at the root. There is no `?` and no `[...]`,
 * because names have brackets.
 *
 * `*1` to `*9` stand for what `*` does, and for the same at each of their places; see state/query_when.h.
 */
#ifndef STATE_GLOB_H
#define STATE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

bool glob_matches(const char *pattern, const char *path);

#endif
