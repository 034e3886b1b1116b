/*
 * image: a program or library as its file has it: its functions' names, and how to walk up from them.
 *
 * elfutils finds names in .symtab, .dynsym and .gnu_debugdata, and in the separate debug file that the build id or the debug link
 * names; where neither names a function, DWARF does. How to walk is in .eh_frame, or .debug_frame.
 *
 * The file may be hostile: it is read in a process without rights (program/lookup.h), which it may bring down.
 *
 * Addresses here are the image's own: image_address() turns an offset in the file into one.
 */
#ifndef PROGRAM_IMAGE_H
#define PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/argument.h"
#include "program/argument_list.h"
#include "program/comparison.h"
#include "program/debug_source.h"
#include "program/step.h"

struct image;

/* Of a file, which becomes the image's; it is read when it is first asked. `name` is the last part of its path. Never NULL. */
struct image *image_new(int fd, const char *name, const struct debug_source *source);
void image_free(struct image *image);

/* Turns an offset in the file into an address. false: no code lies there, or the file cannot be read. */
bool image_address(struct image *image, uint64_t offset, uint64_t *address);

enum { IMAGE_FUNCTIONS = 24 };

/*
 * The functions at the address as their programmers wrote them, innermost first: those that were inlined there, as far as DWARF
 * tells, and last the one that has a symbol. The caller frees each. How many; 0: unknown.
 */
int image_functions(struct image *image, uint64_t address, char *names[IMAGE_FUNCTIONS]);

/*
 * By the tables of the image; where they have nothing, by the frame pointer, if the function is seen to set it up when it is entered:
 * in other code that register holds anything. Not known: the image does not tell, or in terms too intricate.
 */
void image_step(struct image *image, uint64_t address, struct step *step);

/* Takes the lines about the program's members (members_choose()) for the calls that follow; without it there are none. */
void image_choose_members(struct image *image, const char *lines);

/* As argument_find(), of the function that begins, or has an instruction, at an offset in the file. -1 after fail(). */
int image_argument(struct image *image, uint64_t offset, bool at_entry, const char *function, const struct argument *argument, struct argument_found *found);

/* As argument_list(), of the function that begins at an offset in the file. */
int image_arguments(struct image *image, uint64_t offset, const char *function, char text[ARGUMENT_LIST_ROOM]);

enum { IMAGE_LINE = 256 };

/* The operand that the branch of a block depends on, and the lines of its first instruction and its branch: "server.c:71"; "": not known. */
struct image_block {
	struct compared_operand comparison;
	char first[IMAGE_LINE], branch[IMAGE_LINE];
};

/* Looks at the block from an offset in the file on, whose branch lies `behind` bytes further. */
void image_block(struct image *image, uint64_t offset, uint64_t behind, struct image_block *block);

/*
 * The variable at an address that is so far from that of an offset of code in the file, and which of its bytes that is. The caller frees it; NULL:
 * there is none.
 */
char *image_variable(struct image *image, uint64_t offset, int64_t distance, uint64_t *byte);

#endif
