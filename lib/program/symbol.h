/*
 * symbol: the functions of a program or shared library, and where they begin, for uprobes; and its variables.
 *
 * Functions that read a file are called where there are no rights to lose (program/lookup.h); the path is for messages.
 */
#ifndef PROGRAM_SYMBOL_H
#define PROGRAM_SYMBOL_H

#include <stdint.h>

#include "base/memory.h"

/* Where libraries usually are, with ':' between. */
#if defined(__aarch64__)
#define SYMBOL_LIBRARIES "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
#else
#define SYMBOL_LIBRARIES "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
#endif

/*
 * The absolute path of a program or library: as given from the current directory, or, for a plain name that is not
 * there, from $PATH, or from where libraries usually are. The caller frees it; NULL after fail().
 */
char *symbol_binary(const char *name);

/*
 * The colon between BINARY and FUNCTION: the last one that is not of the "::" in a C++ name, nor in brackets, as those of "name[abi:cxx11]" and
 * of Rust's "{shim:vtable#0}"; NULL: there is none.
 */
const char *symbol_colon(const char *text);

/* "FUNCTION+OFFSET", with the offset in decimal or as 0x...: sets it, and returns the length of the function's name. 0: it is none of that. */
size_t symbol_place(const char *text, uint64_t *offset);

/*
 * The function's offset in the file, by .symtab or .dynsym. A C++ or Rust function goes by its name as it is written, without
 * arguments, or by its symbol. -1 after fail(), which suggests functions with a like
 * name, or says that there is nothing to probe: an indirect function (which one runs is chosen at run time), or several
 * functions of this name.
 */
int symbol_offset(int fd, const char *path, const char *function, uint64_t *offset);

/*
 * A variable's address as far behind that at which the file's first segment is mapped, and its size; 0: not told. A function's rules hold for
 * its name. -1 after fail(): there is none, or several, or each thread has its own.
 */
int symbol_variable(int fd, const char *path, const char *variable, uint64_t *address, uint64_t *size);

struct symbol_names {
	char **items; /* the caller's to free, one by one and all */
	size_t count, room;
};

/*
 * Appends the names of the functions that a pattern (as in glob(7)) matches, in order, each once. Left out are those that
 * cannot be probed, those that begin with '_' or are of namespace std unless the pattern does so, and what compilers add. The
 * name of a C++ or Rust function is as it is written, without arguments; where several share that, their symbols. -1 after fail(): there
 * is none.
 */
int symbol_matching(int fd, const char *path, const char *pattern, struct symbol_names *names);

#endif
