/*
 * die: reads a debugging information entry (DWARF) as far as it can be believed: texts that end, and chains of origins that end. libdw
 * checks neither.
 */
#ifndef PROGRAM_DIE_H
#define PROGRAM_DIE_H

#include <stdbool.h>

#include <elfutils/libdw.h>

/* Its own name, or its origin's. NULL: it has none. */
const char *die_name(Dwarf_Die *die);

/* The symbol of the entry, or of its origin. NULL: DWARF names none. */
const char *die_symbol(Dwarf_Die *die);

/* Tells whether it, or its origin, was made up by the compiler. */
bool die_is_artificial(Dwarf_Die *die);

/* Where it was declared: behind all abstract origins and specifications, as far as these come to an end. */
Dwarf_Die die_origin(const Dwarf_Die *die);

#endif
