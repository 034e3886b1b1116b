/*
 * scopes: the functions that an address is in by the debugging information (DWARF), those among them that the compiler put
 * into others (inlined).
 */
#ifndef PROGRAM_SCOPES_H
#define PROGRAM_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/*
 * Names of the functions at the address, innermost first: those that were inlined there, each in the next one, and last the one
 * that the code is of, which goes by its symbol, if it has one (taken over), else as DWARF has it. Demangled; the caller frees
 * each. How many, at most `room`; 0: nothing tells.
 */
int scopes_functions(Dwfl_Module *module, uint64_t address, char *symbol, char **names, int room);

/*
 * The function whose code is at the address, not one that was inlined there, and its part of the program. The bias is what addresses of the
 * module have more than those of the debugging information. False: nothing tells.
 */
bool scopes_function(Dwfl_Module *module, uint64_t address, Dwarf_Die *function, Dwarf_Die *unit, Dwarf_Addr *bias);

#endif
