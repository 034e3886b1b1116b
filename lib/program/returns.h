/*
 * returns: whom a probe at the return of a function would harm.
 *
 * The kernel puts an address of its own on the stack in place of the one that the function returns to. Who looks for callers there
 * finds none: C++ and Rust end the program when an exception or a panic is to go through the function, and Go's runtime ends it
 * sooner or later, for it walks the stacks of all goroutines, and moves them.
 */
#ifndef PROGRAM_RETURNS_H
#define PROGRAM_RETURNS_H

#include <stdbool.h>

/* -1 after fail(): the function, or pattern of functions, is one of Go in this program or library. */
int returns_allowed(const char *path, const char *function);

/* Whether exceptions or panics may go through the functions of this program or library. */
bool returns_meet_exceptions(const char *path);

#endif
