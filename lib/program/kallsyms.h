/*
 * kallsyms: names of kernel functions by address, as /proc/kallsyms has them.
 */
#ifndef PROGRAM_KALLSYMS_H
#define PROGRAM_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct kallsyms {
	char *text, *modules; /* what /proc/kallsyms and /proc/modules said */
	struct kallsym *symbols; /* by address */
	size_t count;
};

/*
 * Reads the names, unless they were read and no module has come or gone since. Where the kernel hides them (kptr_restrict) or
 * /proc is not there, none are known.
 */
void kallsyms_read(struct kallsyms *kallsyms);

/* The function that the address lies in; NULL: unknown. Its length is *length; there is no NUL behind it. */
const char *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, size_t *length);
void kallsyms_free(struct kallsyms *kallsyms);

#endif
