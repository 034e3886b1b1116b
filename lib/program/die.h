/*
 * die: reads a debugging information entry (DWARF) as far as it can be trusted: texts that end, and chains of origins that end. libdw
 * checks neither.
 */
#ifndef PROGRAM_DIE_H
#define PROGRAM_DIE_H

#include <stdbool.h>

#include <elfutils/libdw.h>

/* The entry's own name, or its origin's. NULL: there is none. */
const char *die_name(Dwarf_Die *die);

/* The linkage name of the entry, or of its origin. NULL: DWARF has none. */
const char *die_symbol(Dwarf_Die *die);

/* Tells whether the compiler made up the entry, or its origin. */
bool die_is_artificial(Dwarf_Die *die);

/* The entry's declaration: follows all abstract origins and specifications, up to a bound. */
Dwarf_Die die_origin(const Dwarf_Die *die);

#endif
