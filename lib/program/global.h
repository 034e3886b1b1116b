/*
 * global: where a global variable of a process that runs is: in its program, or in a library that it has mapped; and a function of its program.
 *
 * A process without rights (program/lookup.h) reads the files of others, and its answer counts only if the process has memory there.
 */
#ifndef PROGRAM_GLOBAL_H
#define PROGRAM_GLOBAL_H

#include <stdint.h>

struct lookup;

struct global {
	uint64_t address; /* in the process */
	uint64_t size;	  /* bytes; 0: not told */
};

/* The program's own comes before those of libraries, of these the first by address. -1 after fail(): there is none, or no such process. */
int global_find(int32_t process, const char *name, struct lookup *lookup, struct global *global);

/* -1 after fail(): the process does not have all of these bytes in one piece of memory, or there is none. */
int global_has_memory(int32_t process, uint64_t address, uint64_t size);

/* The entry of a function of the program. `from` and `to` bound the program's code. -1 after fail(). */
int global_function(int32_t process, const char *name, struct lookup *lookup, uint64_t *address, uint64_t *from, uint64_t *to);

#endif
