/*
 * comparison: the operand that the branch at the end of a block of instructions depends on (Argus, section 4.4): the memory operand of the
 * comparison before it, found in machine code. Bytes in, a description out: nothing here reads a file.
 *
 * Only the block is read. The address of the operand is given by the registers' values before the branch, or at the start of the block; if
 * the block changes them both before and after it reads the operand, the address is not known.
 */
#ifndef PROGRAM_COMPARISON_H
#define PROGRAM_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum comparison_what {
	COMPARISON_UNKNOWN,  /* the branch has no condition, or what it compares is not understood */
	COMPARISON_REGISTER, /* the register `base` as it was at the start of the block, such as a function's result */
	COMPARISON_MEMORY,   /* `size` bytes at base + index * scale + displacement */
};

enum comparison_when { COMPARISON_AT_END /* registers before the branch */, COMPARISON_AT_START, COMPARISON_LOST /* not known */ };

enum { COMPARISON_NO_REGISTER = -1, COMPARISON_REGISTERS = 16 /* rax rbx rcx rdx rsi rdi rbp rsp r8 ... r15 */ };

struct compared_operand {
	uint8_t what, when;
	int8_t base, index;    /* numbers of registers */
	uint8_t scale, size;
	bool relative;	       /* the displacement is relative to the address of the branch; there are no registers */
	int64_t displacement;
};

/* x86-64 only. The block begins with the first of these bytes, at `address`, and ends with the branch at the address `branch`. */
struct compared_operand comparison_find(const uint8_t *bytes, size_t size, uint64_t address, uint64_t branch);

/* Tells whether all numbers are in range, because the operand came from another process. */
bool comparison_is_sane(const struct compared_operand *comparison);

#endif
