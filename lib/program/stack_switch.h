/*
 * stack_switch: finds in machine code (x86-64) the instructions that replace the stack by another one: those of the unwinder of exceptions
 * and of longjmp(), and those that switch between coroutines. Bytes in, addresses out, as in program/exits.h.
 */
#ifndef PROGRAM_STACK_SWITCH_H
#define PROGRAM_STACK_SWITCH_H

#include "program/exits.h"

/*
 * An instruction that replaces the stack pointer by one from a register or memory, as longjmp() and the unwinder of exceptions do. It lies
 * in the given function, or in one that this calls directly. `to` is the new stack pointer in the syntax of uprobes ("%r8", "+56(%di)").
 * Returns their number.
 */
struct stack_switch {
	uint64_t address;
	char to[24];
};

enum { STACK_SWITCHES = 8 };

size_t stack_switches(const struct stretch *code, size_t codes, uint64_t entry, uint64_t size, struct stack_switch found[STACK_SWITCHES]);

/*
 * Tells whether a function goes on with a stack that is not its caller's, as code that switches between coroutines does: it sets the stack
 * pointer to a value that did not come from the stack pointer.
 */
bool stack_changes(const struct stretch *code, size_t codes, const struct exits_range *function);

/*
 * Finds the next place, at *address or behind it, whose bytes may be an instruction that sets the stack pointer, even in the middle of
 * another instruction. False: there is none.
 */
bool stack_next_change(const struct stretch *code, uint64_t *address);

#endif
