/*
 * returns: whom a probe at the return of a function would harm.
 *
 * The kernel puts an address of its own on the stack in place of the one that the function returns to. Who looks for callers there
 * finds none: C++ and Rust end the program when an exception or a panic is to go through the function, and the runtimes of Go, OCaml
 * and JavaScript (V8) when they collect garbage, for they walk all stacks.
 *
 * Files are read where there are no rights to lose (program/lookup.h); the path is only told.
 */
#ifndef PROGRAM_RETURNS_H
#define PROGRAM_RETURNS_H

#include <stdbool.h>

/* -1 after fail(): the function, or pattern of functions, is of a language whose runtime would end this program. */
int returns_allowed(int fd, const char *path, const char *function);

/* Whether exceptions or panics may go through the functions of this program or library. */
bool returns_meet_exceptions(int fd);

#endif
