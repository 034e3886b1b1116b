/*
 * image_file: the file of an image, and its debug file: how large they are, and whether they belong together. Part of image, see image.h.
 */
#ifndef PROGRAM_IMAGE_FILE_H
#define PROGRAM_IMAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "program/debug_source.h"

/* Sets *id to the file's build id, and returns its size; -1: it has none, or cannot be read. Valid until elf_end(). */
ssize_t image_file_build_id(Elf *elf, const void **id);

/*
 * Opens the debug file that has the module's build id; for a module without one, the debug file that its link names and that has its
 * checksum. Returns a descriptor; -1: there is none.
 */
int image_file_debug(Dwfl_Module *module, const struct debug_source *source, const char *link, GElf_Word crc);

/* Opens the file of what several debug files share. Returns a descriptor; -1: there is none. */
int image_file_shared(Dwfl_Module *module, const struct debug_source *source, const char *link);

/*
 * Measures the address range of a program or library, by its segments, and how many bytes its sections may take in memory: DWARF, and other
 * tables that may be read. `fd` is the file's descriptor. False: it spans nothing, its notes are too large to be read, or `elf` is NULL.
 */
struct image_extent {
	GElf_Addr start, end;
	uint64_t tables, dwarf;
};
bool image_file_measure(Elf *elf, int fd, struct image_extent *extent);

#endif
