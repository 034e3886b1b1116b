/*
 * image: a program or library by its file: the names of its functions, and how to unwind from them.
 *
 * elfutils finds names in .symtab, .dynsym and .gnu_debugdata, and in the separate debug file that the build id or the debug link names;
 * where none of these names a function, DWARF does. The unwind tables are .eh_frame, or .debug_frame.
 *
 * The file may be malicious: it is read in a process without rights (program/lookup.h), which it may crash.
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

/* The image takes over the descriptor, and reads the file at the first question. `name` is the last part of its path. Never NULL. */
struct image *image_new(int fd, const char *name, const struct debug_source *source);
void image_free(struct image *image);

/* Turns an offset in the file into an address. false: no code lies there, or the file cannot be read. */
bool image_address(struct image *image, uint64_t offset, uint64_t *address);

enum { IMAGE_FUNCTIONS = 24 };

/*
 * The functions at the address as their programmers wrote them, innermost first: those that were inlined there, as far as DWARF knows them,
 * and last the one that has a symbol. The caller frees each. Returns their number; 0: unknown.
 */
int image_functions(struct image *image, uint64_t address, char *names[IMAGE_FUNCTIONS]);

/*
 * How to unwind from the address: by the unwind tables of the image; where these have nothing, by the frame pointer, if the function sets
 * it up at its entry (in other code that register may hold anything). step->known is false if neither tells, or the tables use expressions
 * that are too complex.
 */
void image_step(struct image *image, uint64_t address, struct step *step);

/* Uses these lines about the program's members (members_choose()) for the calls that follow; without lines there are none. */
void image_choose_members(struct image *image, const char *lines);

/* As argument_find(), for the function that begins, or has an instruction, at an offset in the file. -1 after fail(). */
int image_argument(struct image *image, uint64_t offset, bool at_entry, const char *function, const struct argument *argument, struct argument_found *found);

/* As argument_list(), for the function that begins at an offset in the file. */
int image_arguments(struct image *image, uint64_t offset, const char *function, char text[ARGUMENT_LIST_ROOM]);

enum { IMAGE_LINE = 256 };

/*
 * The operand that a block's branch depends on, and the source lines of the block's first instruction and of the branch: "server.c:71"; "":
 * not known.
 */
struct image_block {
	struct compared_operand comparison;
	char first[IMAGE_LINE], branch[IMAGE_LINE];
};

/* Examines the block that begins at an offset in the file. Its branch lies `behind` bytes further. */
void image_block(struct image *image, uint64_t offset, uint64_t behind, struct image_block *block);

/*
 * The name of the variable at `distance` from the address of the code at an offset in the file; *byte: which of its bytes that is. The
 * caller frees the name; NULL: no variable is there.
 */
char *image_variable(struct image *image, uint64_t offset, int64_t distance, uint64_t *byte);

#endif
