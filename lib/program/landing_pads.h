/*
 * landing_pads: where exceptions land in the functions of a program, by its unwind tables: .eh_frame tells each function's table of
 * them (LSDA), as compilers of C++, Rust, and of C with -fexceptions write it.
 */
#ifndef PROGRAM_LANDING_PADS_H
#define PROGRAM_LANDING_PADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/exits.h"

struct landing_function {
	uint64_t start, size;
	uint64_t table; /* address of its LSDA; 0: it has none */
};

struct landing_pads {
	struct landing_function *items; /* by start */
	size_t count, room;
	bool exceptions; /* some function says what is to be done when an exception comes through it */
};

/* Reads all of an .eh_frame. Stops at what is malformed. `ident` is the file's, for libdw. */
void landing_pads_read(struct landing_pads *pads, const unsigned char *ident, const struct stretch *frames);

/* The function that the tables have at this very address; NULL: none. */
const struct landing_function *landing_pads_function(const struct landing_pads *pads, uint64_t start);

enum { LANDING_PADS_MAX = 1024 };

/* The pads of a function. How many; -1: its table is malformed, or there are more than LANDING_PADS_MAX. */
int landing_pads_of(const struct landing_function *function, const struct stretch *code, size_t codes, uint64_t found[LANDING_PADS_MAX]);

void landing_pads_free(struct landing_pads *pads);

#endif
