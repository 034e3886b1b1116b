/*
 * image_file: the file of an image, and its debug file: what they span, and whether they belong together. Part of image, see image.h.
 */
#ifndef PROGRAM_IMAGE_FILE_H
#define PROGRAM_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "program/debug_source.h"

/* The file's build id, and its size; -1: it has none, or cannot be read. Valid until elf_end(). */
ssize_t image_file_build_id(Elf *elf, const void **id);

/* The debug file that has the module's build id; of a module without one, the one that its link names, and that has its checksum. -1. */
int image_file_debug(Dwfl_Module *module, const struct debug_source *source, const char *link, GElf_Word crc);

/* The file of what several debug files have in common. -1: there is none. */
int image_file_shared(Dwfl_Module *module, const struct debug_source *source, const char *link);

/*
 * The size of a program or library, by its segments, and how many bytes its sections may take in memory: DWARF, and what else may be
 * asked for. `fd` is that of the file. False: it spans nothing, its notes are too large to be read, or `elf` is NULL.
 */
struct image_extent {
	GElf_Addr start, end;
	uint64_t tables, dwarf;
};
bool image_file_measure(Elf *elf, int fd, struct image_extent *extent);

#endif
