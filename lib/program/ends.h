/*
 * ends: how the end of a function's call is to be seen without harm to the program.
 *
 * A return probe puts an address of the kernel's own on the stack in place of the one that the function returns to. An exception that is to
 * go through such a function finds no caller and ends the program, and so does a return on another stack than that of the call. So
 * where a function may be left like that, its end is a probe at each instruction by which it is left (program/exits.h). These cost
 * several times as much, so functions of C have return probes. Some functions of C have none all the same: those of a program that changes stacks,
 * of a library that other programs use, those that look at where they return to (setjmp), those that nothing called (_start), and main. (A call of
 * main lasts, and makes others with return probes more often than every 100 ms. Until that call ends, removing any probe of any program blocks
 * in the kernel, and so does every later change of probes.)
 *
 * Only a process without rights reads files (program/lookup.h); the path is for messages. program/program_ends.h asks from outside.
 *
 * The program shows whether its functions may be left like that: it has functions with tables for exceptions, or names that only code which
 * throws, catches, or changes stacks refers to, or instructions that set the stack pointer to a value that was never there; or its libraries
 * throw, whether it names them, they name each other, or it has loaded them (program/program_ends.h). Any program may
 * call a function of a library, so it may be left in any way, unless it calls nothing.
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
	ENDS_JUMPS = 2,	   /* so may longjmp() */
	ENDS_LIBRARY = 4,  /* any program may call it */
	ENDS_THROWS = 8,   /* a library whose exceptions come through its callers' functions, or whose stacks these run on */
	ENDS_ALONE = 16,   /* it needs no libraries */
	ENDS_LOADS = 32,   /* it may load libraries that it does not name */
};

/* Its traits; the text is where it looks for its libraries, and those that it needs by name, each with NUL behind it; NULL: it is not wanted. */
unsigned ends_traits(const struct ends_file *file, char *text, size_t room, size_t *length);

/* Offsets in the file. */
struct ends {
	uint64_t start;	 /* where a call begins: behind `endbr64` where that is safe */
	bool at_exits;	 /* it ends at these places; else, as by a return probe at `start` */
	uint64_t *exits; /* the caller's to free */
	size_t count;
};

/*
 * Of the function that begins at an offset. `unsafe`: a library of the program's throws. -1 after fail(): its ends cannot be found, `name`
 * is for the message.
 */
int ends_find(const struct ends_file *file, const char *name, uint64_t offset, bool unsafe, struct ends *ends);

/*
 * The offset in the file of the instruction that is `behind` bytes behind the begin of a function, which begins at `offset`. -1 after fail(): none
 * begins there, so that a probe would change the one that is.
 */
int ends_instruction(const struct ends_file *file, const char *name, uint64_t offset, uint64_t behind, uint64_t *at);

/*
 * Where the stack is thrown away for one further up, by the unwinder of exceptions and by longjmp(), if they are in this very file. Offsets in
 * it; `to` as uprobes spell it. Returns how many.
 */
struct ends_switch {
	uint64_t offset;
	char to[24];
};

enum { ENDS_SWITCHES = 16 };

size_t ends_switches(const struct ends_file *file, struct ends_switch found[ENDS_SWITCHES]);

#endif
