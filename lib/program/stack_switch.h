/*
 * stack_switch: instructions that exchange the stack for another one, found in machine code (x86-64): those of the unwinder of exceptions and
 * of longjmp(), and those of what switches between coroutines. Bytes in, addresses out, as in program/exits.h.
 */
#ifndef PROGRAM_STACK_SWITCH_H
#define PROGRAM_STACK_SWITCH_H

#include "program/exits.h"

/*
 * Where code throws its stack away for one that is given in a register or in memory, as longjmp() and the unwinder of exceptions do, in the
 * function or one that it calls directly. At that instruction the new stack pointer is `to`, as uprobes spell it ("%r8", "+56(%di)").
 */
struct stack_switch {
	uint64_t address;
	char to[24];
};

enum { STACK_SWITCHES = 8 };

size_t stack_switches(const struct stretch *code, size_t codes, uint64_t entry, uint64_t size, struct stack_switch found[STACK_SWITCHES]);

/*
 * Tells whether a function goes on with a stack that is not its caller's, as what switches between coroutines does: it sets the stack pointer to what
 * did not come from there.
 */
bool stack_changes(const struct stretch *code, size_t codes, const struct exits_range *function);

/* The next place, at `address` or behind it, whose bytes may be an instruction that does so, in the midst of another one as well. False: none. */
bool stack_next_change(const struct stretch *code, uint64_t *address);

#endif
