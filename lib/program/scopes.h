/*
 * scopes: the functions that an address lies in by the debugging information (DWARF), including those that the compiler put into others
 * (inlined).
 */
#ifndef PROGRAM_SCOPES_H
#define PROGRAM_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/*
 * Writes the names of the functions at the address, innermost first: those that were inlined there, each in the next one, and last the one
 * that the code belongs to, under its symbol if there is one (taken over), else under DWARF's name. Demangled; the caller frees each.
 * Returns their number, at most `room`; 0: nothing is known.
 */
int scopes_functions(Dwfl_Module *module, uint64_t address, char *symbol, char **names, int room);

/*
 * Finds the function that the code at the address belongs to (not one that was inlined there), and its unit. *bias is the difference
 * between addresses of the module and those of the debugging information. False: it is not known.
 */
bool scopes_function(Dwfl_Module *module, uint64_t address, Dwarf_Die *function, Dwarf_Die *unit, Dwarf_Addr *bias);

#endif
