/*
 * symbol: where a function begins in a program or shared library, for a uprobe.
 */
#ifndef SOURCE_SYMBOL_H
#define SOURCE_SYMBOL_H

#include <stdint.h>

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

#endif
