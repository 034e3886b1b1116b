/*
 * ends: how to see the end of a function's call without harm to the program.
 *
 * A return probe replaces the return address on the stack by an address of the kernel's. An exception that passes through such a function
 * finds no caller and kills the program; so does a return on another stack than that of the call. So where a function may be left like
 * that, its end is a probe at each instruction by which it is left (program/exits.h). These cost several times as much, so C functions get
 * return probes. Some C functions get none all the same: those of a program that changes stacks, those of a library that other programs
 * use, those that look at their return address (setjmp), those that nothing called (_start), and main. (A call of main lasts, and makes
 * others with return probes more often than every 100 ms. Until that call ends, removing any probe of any program blocks in the kernel, and
 * so does every later change of probes.)
 *
 * Only a process without rights reads files (program/lookup.h); the path is for messages. program/program_ends.h is for callers outside it.
 *
 * The program shows whether its functions may be left like that. It has functions with exception tables; or names that only code refers to
 * which throws, catches, or changes stacks; or instructions that set the stack pointer to a value that did not come from it; or its
 * libraries throw, whether it names them, they name each other, or it has loaded them (program/program_ends.h). Any program may call a
 * function of a library, so a library's function may be left in any way, unless it calls nothing.
 */
#ifndef PROGRAM_ENDS_H
#define PROGRAM_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/exits.h"

struct ends_file;

/* Reads what all functions of a program or library share; needs the descriptor only until it returns. NULL after fail(). */
struct ends_file *ends_open(int fd, const char *path);
void ends_close(struct ends_file *file); /* NULL: nothing */

enum ends_trait {
	ENDS_UNSAFE = 1,   /* exceptions or other stacks may leave its functions */
	ENDS_JUMPS = 2,	   /* longjmp() may leave its functions */
	ENDS_LIBRARY = 4,  /* a library: any program may call it */
	ENDS_THROWS = 8,   /* a library whose exceptions pass through its callers' functions, or that runs these on its own stacks */
	ENDS_ALONE = 16,   /* it needs no libraries */
	ENDS_LOADS = 32,   /* it may load libraries that it does not name */
};

enum { ENDS_TEXT = 1 << 14 }; /* room for the text that ends_traits() writes */

/*
 * Returns its traits, bits of enum ends_trait. Writes the folders in which it looks for libraries, then the names of those that it needs,
 * each with a NUL behind it; `text` NULL: not wanted. If not all of them fit, the others may be any, so ENDS_UNSAFE and ENDS_THROWS are set.
 */
unsigned ends_traits(const struct ends_file *file, char *text, size_t room, size_t *length);

/* Offsets in the file. */
struct ends {
	uint64_t start;	 /* where a call begins: behind a leading `endbr64` where that is safe */
	bool at_exits;	 /* a call ends at `exits`; false: a return probe at `start` sees the end */
	uint64_t *exits; /* the caller's to free */
	size_t count;
};

/*
 * Finds the ends of the function that begins at `offset`. `unsafe`: a library of the program throws. `name` is for messages. -1 after
 * fail(): its ends cannot be found.
 */
int ends_find(const struct ends_file *file, const char *name, uint64_t offset, bool unsafe, struct ends *ends);

/*
 * Sets *at to the offset in the file of the instruction `behind` bytes behind the start of the function that begins at `offset`. -1 after
 * fail(): no instruction begins there, and a probe there would change another one.
 */
int ends_instruction(const struct ends_file *file, const char *name, uint64_t offset, uint64_t behind, uint64_t *at);

/*
 * An instruction by which the unwinder of exceptions or longjmp() drops stack frames, if these are in this very file: its offset in the
 * file, and the new stack pointer in the syntax of uprobes. ends_switches() returns their number.
 */
struct ends_switch {
	uint64_t offset;
	char to[24];
};

enum { ENDS_SWITCHES = 16 };

size_t ends_switches(const struct ends_file *file, struct ends_switch found[ENDS_SWITCHES]);

#endif
