/*
 * demangle: names of C++ and Rust functions as their programmers wrote them (libiberty).
 */
#ifndef PROGRAM_DEMANGLE_H
#define PROGRAM_DEMANGLE_H

/* A longer name is cut, and ends with "...". */
enum { DEMANGLED_MAX = 4096 };

/*
 * "cache::Shelf::get" of _ZN5cache5Shelf3getEi: without arguments, which would make names too long to read. NULL: the name is
 * not mangled. The caller frees it.
 */
char *demangle(const char *name);

/*
 * The name of a function that was chosen by its symbol, because others share its plain name: "cache::Shelf::get(int)"; of any other
 * name a copy. The caller frees it.
 */
char *demangle_whole(const char *name);

/* "app::Of<int>" of N3app2OfIiEE: a type of C++, as its type_info calls it. NULL: it is none. The caller frees it. */
char *demangle_type(const char *name);

#endif
