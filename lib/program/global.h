/*
 * global: where a global variable of a running process is, in its program or in a library that it has mapped; and where a function of its
 * program is.
 *
 * A process without rights (program/lookup.h) reads other users' files, and its answer counts only if the process has memory there.
 */
#ifndef PROGRAM_GLOBAL_H
#define PROGRAM_GLOBAL_H

#include <stdint.h>

struct lookup;

struct global {
	uint64_t address; /* in the process */
	uint64_t size;	  /* bytes; 0: not known */
};

/* Finds a variable in the program, or else in its libraries, the first by address. -1 after fail(): there is no such variable, or no such process. */
int global_find(int32_t process, const char *name, struct lookup *lookup, struct global *global);

/* 0; -1 after fail(): the process does not have all of these bytes in one mapping, or there is no such process. */
int global_has_memory(int32_t process, uint64_t address, uint64_t size);

/* Finds the entry of a function of the program. *from and *to bound the program's code. -1 after fail(). */
int global_function(int32_t process, const char *name, struct lookup *lookup, uint64_t *address, uint64_t *from, uint64_t *to);

#endif
