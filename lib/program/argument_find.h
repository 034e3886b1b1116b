/*
 * argument_find: where a function's arguments are, by the debugging information (DWARF). Part of argument, see argument.h.
 *
 * A place counts only if it is valid at the very address in question, mostly the function's entry: a register, or the caller's part of the
 * stack. If DWARF names a slot of the function's own frame, which is not written yet, the calling convention says where the value comes
 * from. An argument without such a place is refused by name: one in a vector register, or one that the compiler optimised away or made a
 * constant.
 *
 * DWARF may be malicious, so this runs in the process without rights (program/lookup.h). Every walk is bounded.
 */
#ifndef PROGRAM_ARGUMENT_FIND_H
#define PROGRAM_ARGUMENT_FIND_H

#include <elfutils/libdwfl.h>

#include "program/argument.h"

struct argument_question {
	Elf *elf;	     /* the program's own file */
	Dwfl_Module *module; /* NULL: there is no usable DWARF */
	uint64_t address;    /* in the module */
	bool at_entry;	     /* true: a function begins there; false: one of its instructions */
	bool frame_known;    /* the caller's stack pointer is frame_register plus frame_offset */
	uint8_t frame_register;
	int32_t frame_offset;
	uint64_t behind;     /* address minus offset in the file, for uprobes at this function, which count offsets */
	const char *function; /* for messages, and for `members` */
	const char *members; /* layout lines (program/members.h), used if DWARF does not know the function; NULL: there are none */
};

/* -1 after fail(), which names the argument. */
int argument_find(const struct argument_question *question, const struct argument *argument, struct argument_found *found);

#endif
