/*
 * variable: a global variable of a program, by its debugging information (DWARF), or by its symbol. Runs where argument_find.h does.
 */
#ifndef PROGRAM_VARIABLE_H
#define PROGRAM_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

/*
 * Finds the variable of this name that has an address, "name" or "scope::name": in the unit, else in the first unit of the module that has
 * one; either may be NULL. *seen counts the entries visited, up to a bound. False: there is none.
 */
bool variable_find(Dwfl_Module *module, Dwarf_Die *unit, const char *name, int *seen, Dwarf_Die *found);

/* Finds the address of a variable's symbol; false: there is none. */
bool variable_symbol(Dwfl_Module *module, const char *name, uint64_t *address);

#endif
