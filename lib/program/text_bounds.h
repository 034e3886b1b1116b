/*
 * text_bounds: whether a text in an ELF file ends with a NUL.
 *
 * libelf and libdw point into a section's data and trust that a NUL follows. A malicious file may have none, and they would read beyond the
 * section.
 */
#ifndef PROGRAM_TEXT_BOUNDS_H
#define PROGRAM_TEXT_BOUNDS_H

#include <stdbool.h>

#include <libelf.h>

/* The section that the last text was found in, where the next one is likely to be. All zero: none yet. */
struct text_bounds {
	const char *start, *end; /* behind its last NUL */
};

/* Tells whether the text lies in a section of this file that may hold texts, or where its segments put the symbols' names, and ends there. */
bool text_ends(struct text_bounds *bounds, Elf *elf, const char *text);

#endif
