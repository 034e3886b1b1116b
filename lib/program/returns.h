/*
 * returns: languages whose functions are not probed.
 *
 * The kernel puts an address of its own on the stack in place of the one that the function returns to. A runtime that looks for
 * callers there finds none: those of Go, OCaml and JavaScript (V8), which walk all stacks to collect garbage, end the program. Where
 * exceptions go through functions see program/ends.h.
 *
 * Files are read where there are no rights to lose (program/lookup.h); the path is only told.
 */
#ifndef PROGRAM_RETURNS_H
#define PROGRAM_RETURNS_H

/* -1 after fail(): the function, or pattern of functions, is of a language whose runtime would end this program. */
int returns_allowed(int fd, const char *path, const char *function);

#endif
