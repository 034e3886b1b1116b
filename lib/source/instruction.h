/*
 * instruction: the machine's instruction at an offset in a program, where a probe is to be. Nothing is known of the instructions of other
 * machines than x86-64.
 */
#ifndef SOURCE_INSTRUCTION_H
#define SOURCE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells whether the kernel emulates the instruction, as it does `push`, `nop`, direct calls and direct jumps. The kernel steps over all others,
 * which costs ten times as much. On other machines always true, because nobody has measured the cost there.
 */
bool instruction_is_emulated(const char *path, uint64_t offset);

/* Tells whether it is a `ret`, with or without a prefix or a number behind it. */
bool instruction_is_return(int fd, uint64_t offset);

/*
 * The first offset of a function at which a probe costs least and everything is as at the entry: behind the landing pad of indirect calls
 * (endbr64), which the kernel would step over. `bare`: the stack pointer may differ, so that it may also be behind the instruction that makes
 * room on the stack. The entry itself if that gains nothing.
 */
uint64_t instruction_past_entry(const char *path, uint64_t offset, bool bare);

#endif
