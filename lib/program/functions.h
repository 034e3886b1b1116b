/*
 * functions: the symbols of an image's functions by address. libdwfl finds one too, but looks at all of them each time.
 */
#ifndef PROGRAM_FUNCTIONS_H
#define PROGRAM_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct functions {
	struct function *items; /* by address */
	size_t count;
};

/* All that libdwfl finds for the module, in its own file or its debug file. Names are the module's. */
void functions_read(struct functions *functions, Dwfl_Module *module);

/* The symbol of the function that the address lies in, and where it begins; NULL: in none. Those without a size hold no address. */
const char *functions_find(const struct functions *functions, uint64_t address, uint64_t *start);
void functions_free(struct functions *functions);

#endif
