/* functions: the symbols of an image's functions by address. libdwfl finds a symbol too, but searches all of them each time. */
#ifndef PROGRAM_FUNCTIONS_H
#define PROGRAM_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct functions {
	struct function *items; /* sorted by address */
	size_t count;
};

/* Reads all symbols that libdwfl finds for the module, in its own file or its debug file. The module owns the names. */
void functions_read(struct functions *functions, Dwfl_Module *module);

/*
 * The symbol of the function that the address lies in; *start is where the function begins. NULL: the address lies in none. Functions
 * without a size are not found.
 */
const char *functions_find(const struct functions *functions, uint64_t address, uint64_t *start);
void functions_free(struct functions *functions);

#endif
