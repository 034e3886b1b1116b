/*
 * returns: languages of which no function is probed.
 *
 * The kernel puts an address of its own on the stack in place of the one that the function returns to. Who looks for callers there
 * finds none: the runtimes of Go, OCaml and JavaScript (V8) end the program when they collect garbage, for they walk all stacks. Where
 * exceptions go through functions see program/ends.h.
 *
 * Files are read where there are no rights to lose (program/lookup.h); the path is only told.
 */
#ifndef PROGRAM_RETURNS_H
#define PROGRAM_RETURNS_H

/* -1 after fail(): the function, or pattern of functions, is of a language whose runtime would end this program. */
int returns_allowed(int fd, const char *path, const char *function);

#endif
