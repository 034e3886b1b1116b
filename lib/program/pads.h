/*
 * pads: where exceptions land in the functions of a program (landing pads), by its unwind tables: .eh_frame tells each function's table of
 * them (LSDA), as compilers of C++, Rust, and of C with -fexceptions write it.
 */
#ifndef PROGRAM_PADS_H
#define PROGRAM_PADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/exits.h"

struct pads_function {
	uint64_t start, size;
	uint64_t table; /* address of its LSDA; 0: it has none */
};

struct pads {
	struct pads_function *items; /* by start */
	size_t count, room;
	bool exceptions; /* some function says what is to be done when an exception comes through it */
};

/* Reads all of an .eh_frame. Stops at what is malformed. `ident` is the file's, for libdw. */
void pads_read(struct pads *pads, const unsigned char *ident, const struct stretch *frames);

/* The function that the tables have at this very address; NULL: none. */
const struct pads_function *pads_function(const struct pads *pads, uint64_t start);

enum { PADS_MAX = 1024 };

/* The pads of a function. How many; -1: its table is malformed, or there are more than PADS_MAX. */
int pads_of(const struct pads_function *function, const struct stretch *code, size_t codes, uint64_t found[PADS_MAX]);

void pads_free(struct pads *pads);

#endif
