/*
 * landing_pads: where exceptions land in the functions of a program, by its unwind tables: .eh_frame names each function's table of landing
 * pads (LSDA), which compilers of C++, Rust, and C with -fexceptions write.
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
	struct landing_function *items; /* sorted by start */
	size_t count, room;
	bool exceptions; /* some CIE has a personality routine, which handles exceptions that come through its functions */
};

/* Reads a whole .eh_frame. Stops where it is malformed. `ident` is the ELF file's e_ident, for libdw. */
void landing_pads_read(struct landing_pads *pads, const unsigned char *ident, const struct stretch *frames);

/* The function that begins at this very address by the tables; NULL: there is none. */
const struct landing_function *landing_pads_function(const struct landing_pads *pads, uint64_t start);

enum { LANDING_PADS_MAX = 1024 };

/* The landing pads of a function. Returns their number; -1: its table is malformed, or there are more than LANDING_PADS_MAX. */
int landing_pads_of(const struct landing_function *function, const struct stretch *code, size_t codes, uint64_t found[LANDING_PADS_MAX]);

void landing_pads_free(struct landing_pads *pads);

#endif
