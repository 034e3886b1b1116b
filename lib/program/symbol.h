/*
 * symbol: the functions and variables of a program or shared library, and where they are, for uprobes.
 *
 * The functions that read a file run in the process without rights (program/lookup.h); the path is for messages.
 */
#ifndef PROGRAM_SYMBOL_H
#define PROGRAM_SYMBOL_H

#include <stdint.h>

#include "base/memory.h"

/* Folders where libraries usually are, separated by ':'. */
#if defined(__aarch64__)
#define SYMBOL_LIBRARIES "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
#else
#define SYMBOL_LIBRARIES "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
#endif

/*
 * The absolute path of a program or library: as given from the current directory, or, if `name` is a plain name that is not there, from
 * $PATH, or from where libraries usually are. The caller frees it; NULL after fail().
 */
char *symbol_binary(const char *name);

/*
 * The colon between BINARY and FUNCTION: the last one that is neither part of a "::" of a C++ name nor in brackets, as those of
 * "name[abi:cxx11]" and of Rust's "{shim:vtable#0}" are; NULL: there is none.
 */
const char *symbol_colon(const char *text);

/*
 * Reads "FUNCTION+OFFSET", with the offset in decimal or as 0x...: sets *offset, and returns the length of the function's name. 0: the text
 * is not of this form.
 */
size_t symbol_place(const char *text, uint64_t *offset);

/*
 * The function's offset in the file, by .symtab or .dynsym. A C++ or Rust function is found by its name as written in the source, without
 * arguments, or by its symbol. -1 after fail(), which suggests functions with a similar name, or says why there is nothing to probe: the
 * function is indirect (which one runs is chosen at run time), or several functions have this name.
 */
int symbol_offset(int fd, const char *path, const char *function, uint64_t *offset);

/*
 * A variable's address, relative to where the file's first segment is mapped, and its size; 0: the symbol has none. Its name follows the
 * rules for a function's. -1 after fail(): there is none, there are several, or each thread has its own.
 */
int symbol_variable(int fd, const char *path, const char *variable, uint64_t *address, uint64_t *size);

struct symbol_names {
	char **items; /* the caller's to free, one by one and all */
	size_t count, room;
};

/*
 * Appends the names of the functions that match a pattern (as in glob(7)), sorted, each once. Leaves out those that cannot be probed, those
 * that begin with '_' or are in namespace std unless the pattern begins so too, and those that compilers add. A C++ or Rust function is
 * named as written in the source, without arguments; if several share that name, by their symbols. -1 after fail(): none matches.
 */
int symbol_matching(int fd, const char *path, const char *pattern, struct symbol_names *names);

#endif
