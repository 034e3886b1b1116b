/*
 * glob: patterns of paths. `*` matches any bytes but '/', `**` any bytes; as a whole component, `**` matches at least one byte. A pattern that
 * begins with '/' begins at the root, any other at any component of a path. There is no `?` and no `[...]`, because names have brackets.
 *
 * The patterns of state/query_when.h also have `*1` to `*9`; glob_matches() does not know them.
 */
#ifndef STATE_GLOB_H
#define STATE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether the pattern matches up to the end of the path. */
bool glob_matches(const char *pattern, const char *path);

#endif
