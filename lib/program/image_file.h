/*
 * image_file: the file of an image, and its debug file: found and opened. Part of image, see image.h.
 *
 * Paths and links come from processes that may mean harm: what is no regular file is not opened at all, for a FIFO would let us wait
 * for ever, and to open some devices is to work them.
 */
#ifndef PROGRAM_IMAGE_FILE_H
#define PROGRAM_IMAGE_FILE_H

#include <elfutils/libdwfl.h>

#include "program/image.h"

/* As image_open(), which says what the arguments are. -1: it cannot be had. */
int image_file_open(const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		    const struct image_identity *identity);

/*
 * What libdwfl's callback of that name is to do, for the image of this path. It maps a debug file, so that must be where only root
 * writes (IMAGE_FILE_DEBUG), or, beside the program, have its build id and be written by nobody but root and who we are.
 */
#define IMAGE_FILE_DEBUG "/usr/lib/debug"
int image_file_find_debug(Dwfl_Module *module, const char *path, const char *file, const char *link, GElf_Word crc, char **found);

/*
 * What a program or library spans, by its segments, and how many bytes its sections may take in memory: DWARF, and what else may be
 * asked for. `fd` is that of the file. False: it spans nothing, its notes are too large to be read, or `elf` is NULL.
 */
struct image_extent {
	GElf_Addr start, end;
	uint64_t tables, dwarf;
};
bool image_file_measure(Elf *elf, int fd, struct image_extent *extent);

#endif
