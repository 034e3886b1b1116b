/*
 * demangle: names of C++ and Rust functions as their programmers wrote them (libiberty).
 */
#ifndef PROGRAM_DEMANGLE_H
#define PROGRAM_DEMANGLE_H

/* A longer name is cut, and ends with "...". */
enum { DEMANGLED_MAX = 4096 };

/*
 * "cache::Shelf::get" for _ZN5cache5Shelf3getEi: without arguments, which would make names too long to read. NULL: the name is not mangled.
 * The caller frees it.
 */
char *demangle(const char *name);

/*
 * The name of a function that was chosen by its symbol, because others share its plain name: "cache::Shelf::get(int)"; for any other name a
 * copy. The caller frees it.
 */
char *demangle_whole(const char *name);

/* "app::Of<int>" for N3app2OfIiEE: a C++ type as its type_info names it. NULL: it is no type. The caller frees it. */
char *demangle_type(const char *name);

#endif
