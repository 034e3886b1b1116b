/*
 * comparison: the operand that a branch at the end of a block of instructions depends on (Argus, section 4.4): the operand in memory of the
 * comparison before it, found in machine code. Bytes in, a description out: nothing here reads a file.
 *
 * Only the block is read. Registers give the address of an operand, by their values before the branch, or at the begin of the block; if
 * the block changes them both before and after it reads the operand, the address is not known.
 */
#ifndef PROGRAM_COMPARISON_H
#define PROGRAM_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum comparison_what {
	COMPARISON_UNKNOWN,  /* the branch has no condition, or what it compares is not understood */
	COMPARISON_REGISTER, /* `base`, as it was where the block begins: such as what a function returned */
	COMPARISON_MEMORY,   /* `size` bytes at base + index * scale + displacement */
};

enum comparison_when { COMPARISON_AT_END /* registers before the branch */, COMPARISON_AT_START, COMPARISON_LOST /* nobody knows them */ };

enum { COMPARISON_NO_REGISTER = -1, COMPARISON_REGISTERS = 16 /* rax rbx rcx rdx rsi rdi rbp rsp r8 ... r15 */ };

struct compared_operand {
	uint8_t what, when;
	int8_t base, index;    /* registers by number */
	uint8_t scale, size;
	bool relative;	       /* to the address of the branch: then there are no registers */
	int64_t displacement;
};

/* x86-64 only. The block begins with the first of these bytes, at an address, and ends with the branch at another. */
struct compared_operand comparison_find(const uint8_t *bytes, size_t size, uint64_t address, uint64_t branch);

/* It came from another process: its numbers are in their ranges. */
bool comparison_is_sane(const struct compared_operand *comparison);

#endif
