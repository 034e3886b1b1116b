/*
 * exits: finds in machine code the instructions by which a function is left: each `ret`, and each jump to another function (a tail call).
 * Bytes in, addresses out: nothing here reads a file.
 *
 * Only code that the processor may reach is decoded: from the function's entry and its landing pads on, along its jumps and the entries of
 * its jump tables. Data may lie between instructions, and a probe there would change them. A jump that leads out of the function's bytes
 * while its frame is still on the stack goes to a part of the function that the compiler put elsewhere, and is followed; a jump with the
 * stack as it was at the entry is a tail call. Where neither is certain (an aligned stack, a part without a name), the place is listed: a
 * probe there reads the stack pointer, and the place is an end only if that is the one at the entry.
 */
#ifndef PROGRAM_EXITS_H
#define PROGRAM_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a program, and the address at which they are in memory. */
struct stretch {
	const uint8_t *bytes;
	uint64_t address, size;
	bool executable;
};

struct exits_range {
	uint64_t start, size;
};

struct exits_question {
	const struct stretch *code; /* all code of the program */
	size_t codes;
	uint64_t entry;			  /* of the function; it lies in the first part */
	const struct exits_range *parts;  /* its bytes; behind the first, the parts that lie elsewhere */
	size_t part_count;
	const uint64_t *pads; /* landing pads of exceptions in it */
	size_t pad_count;
};

/* Ascending addresses, which the caller frees. */
struct exits {
	uint64_t *items;
	size_t count, room;
	bool calls;	    /* it calls, or jumps to, other functions */
	bool returns_oddly; /* it reads or changes its return address, as a function that saves a context does; so that address must stay */
};

/*
 * x86-64 only. 0; -1: some exits cannot be found, because it is not known where a jump leads, or the decoded instructions make no sense;
 * nothing needs to be freed then. A function that never returns has no exits.
 */
int exits_find(const struct exits_question *question, struct exits *exits);

/*
 * Where to put a probe for a function's entry: behind a leading `endbr64`, unless the function may jump back to there. Every call passes
 * both places, and single-stepping `endbr64` costs the kernel eight times as much as the `push` that mostly follows.
 */
uint64_t exits_entry(const struct stretch *code, size_t codes, const struct exits_range *function);

/*
 * The last instruction of a function that begins at `address` or before it, if the function is decoded from its first byte on. 0: none can
 * be decoded.
 */
uint64_t exits_instruction(const struct stretch *code, size_t codes, const struct exits_range *function, uint64_t address);

/* The code at an address, and how many bytes of it follow; NULL: none of these stretches has code there. */
const uint8_t *exits_code(const struct stretch *code, size_t codes, uint64_t address, uint64_t *left);

/* The decoder of x86-64 with details (a csh of capstone); 0: there is none. */
size_t exits_decoder(void);

#endif
