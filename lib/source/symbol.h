/*
 * symbol: the functions of a program or shared library, and where they begin, for uprobes.
 */
#ifndef SOURCE_SYMBOL_H
#define SOURCE_SYMBOL_H

#include <stdint.h>

#include "base/memory.h"

/*
 * The absolute path of a program or library: as given from the current directory, or, for a plain name that is not
 * there, from $PATH. The caller frees it; NULL after fail().
 */
char *symbol_binary(const char *name);

/*
 * The function's offset in the file, by .symtab or .dynsym. -1 after fail(), which suggests functions with a like
 * name, or says that there is nothing to probe: an indirect function (which one runs is chosen at run time), or several
 * functions of this name.
 */
int symbol_offset(const char *path, const char *function, uint64_t *offset);

struct symbol_names {
	char **items; /* the caller's to free, one by one and all */
	size_t count, room;
};

/*
 * Appends the names of the functions that a pattern (as in glob(7)) matches, in order, each once. Left out are those that
 * cannot be probed, those that begin with '_' unless the pattern does, and what compilers add. -1 after fail(): there
 * is none.
 */
int symbol_matching(const char *path, const char *pattern, struct symbol_names *names);

#endif
