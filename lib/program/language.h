/*
 * language: languages whose functions must not be probed.
 *
 * The kernel replaces the return address on the stack by one of its own. A runtime that looks for callers there finds none: those of Go,
 * OCaml and JavaScript (V8), which walk all stacks to collect garbage, then end the program. For exceptions that leave functions, see
 * program/ends.h.
 *
 * This code runs in the process without rights (program/lookup.h); the path is for messages.
 */
#ifndef PROGRAM_LANGUAGE_H
#define PROGRAM_LANGUAGE_H

/* 0; -1 after fail(): the function, or pattern of functions, is of a language whose runtime would end this program. */
int language_allows_probes(int fd, const char *path, const char *function);

#endif
