/*
 * exits: the instructions by which a function is left, found in its machine code: each `ret`, and each jump to another function (a tail
 * call). Bytes in, addresses out: nothing here reads a file.
 *
 * Only code that the processor may reach is decoded: from the function's entry, and from where an exception lands in it, along its jumps and
 * the entries of its jump tables. Data may lie between instructions, and a probe there would change them. A jump that leads out
 * of the function's bytes while its frame is still on the stack goes to a part of the function that the compiler put elsewhere, and is
 * followed; with the stack as it was at the entry it is a tail call. Where neither is certain (a stack that was aligned, a part that has
 * no name), the place is listed: a probe there gives the stack pointer, and an end is one only where that is the entry's.
 */
#ifndef PROGRAM_EXITS_H
#define PROGRAM_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a program as they are in memory, at an address. */
struct stretch {
	const uint8_t *bytes;
	uint64_t address, size;
	bool executable;
};

struct exits_range {
	uint64_t start, size;
};

struct exits_question {
	const struct stretch *code; /* all that the program has of it */
	size_t codes;
	uint64_t entry;			  /* of the function; it lies in the first part */
	const struct exits_range *parts;  /* its bytes; behind the first those of parts that lie elsewhere */
	size_t part_count;
	const uint64_t *pads; /* where an exception lands in it */
	size_t pad_count;
};

/* Ascending addresses, which the caller frees. */
struct exits {
	uint64_t *items;
	size_t count, room;
	bool calls;	    /* it calls, or jumps to, other functions */
	bool returns_oddly; /* it reads or changes its return address, as a function does that saves a context: the address must stay as it is */
};

/*
 * x86-64 only. -1: some cannot be found, because nobody can tell where a jump leads, or the decoded instructions make no sense; nothing
 * needs to be freed then. A function that never returns has none.
 */
int exits_find(const struct exits_question *question, struct exits *exits);

/*
 * Where a probe is to be put for an entry: behind a leading `endbr64`, unless the function may jump back to there. A call comes by both, and the
 * kernel steps over that instruction at eight times the cost of the `push` that mostly follows.
 */
uint64_t exits_entry(const struct stretch *code, size_t codes, const struct exits_range *function);

/*
 * The last instruction of a function that begins at an address or before it, as far as they can be read one behind the other from the first
 * on. 0: none can.
 */
uint64_t exits_instruction(const struct stretch *code, size_t codes, const struct exits_range *function, uint64_t address);

/* The code at an address, and how many bytes of it follow; NULL: none of these stretches has code there. */
const uint8_t *exits_code(const struct stretch *code, size_t codes, uint64_t address, uint64_t *left);

/* Decodes x86-64 in detail (the csh of capstone); 0: there is none. */
size_t exits_decoder(void);

#endif
