/*
 * language: languages whose functions are not probed.
 *
 * The kernel puts an address of its own on the stack in place of the one that the function returns to. A runtime that looks for
 * callers there finds none: those of Go, OCaml and JavaScript (V8), which walk all stacks to collect garbage, end the program. Where
 * exceptions go through functions see program/ends.h.
 *
 * It runs in the process without rights (program/lookup.h); the path is for messages.
 */
#ifndef PROGRAM_LANGUAGE_H
#define PROGRAM_LANGUAGE_H

/* -1 after fail(): the function, or pattern of functions, is of a language whose runtime would end this program. */
int language_allows_probes(int fd, const char *path, const char *function);

#endif
