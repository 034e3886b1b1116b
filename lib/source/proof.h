/*
 * proof: whether what somebody wrote down about a program's members (program/members.h) fits it.
 *
 * Numbers and texts do not show whether they are right, but a descriptor does: it must be a socket of the process. So the stream gets no such
 * member before a descriptor was right, and of the first events only those whose own descriptor was. It gets none any more once PROOF_WRONG
 * descriptors were wrong, if these are more than those that were right.
 */
#ifndef SOURCE_PROOF_H
#define SOURCE_PROOF_H

#include <stdbool.h>
#include <stdint.h>

struct proof;

enum { PROOF_ENOUGH = 8, PROOF_WRONG = 3, PROOF_GONE = 64 /* descriptors that nobody has any more, and none that was right */, PROOF_EVERY = 256 };

/* Of a program, by its path. It is said once if what was written down is wrong. */
typedef void proof_say(const char *format, ...);
struct proof *proof_new(const char *path, proof_say *say);
void proof_free(struct proof *proof); /* NULL is allowed */

/* A probe tells a descriptor, by which it can be proven; until there is one, what was written down is believed. */
void proof_expect(struct proof *proof);

/* Tells whether what was found that way may be told of an event of this thread, which tells the descriptor; -1: it tells none. */
bool proof_holds(struct proof *proof, int32_t tid, int64_t fd);

#endif
