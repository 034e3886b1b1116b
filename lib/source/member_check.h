/*
 * member_check: whether what somebody wrote down about a program's members (program/members.h) fits it.
 *
 * Numbers and texts do not show whether they are right, but a descriptor does: it must be a socket of the process. So the stream gets no such
 * member before a descriptor was right, and of the first events only those whose own descriptor was. It gets none any more once CHECK_WRONG
 * descriptors were wrong, if these are more than those that were right.
 */
#ifndef SOURCE_MEMBER_CHECK_H
#define SOURCE_MEMBER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct member_check;

enum { CHECK_ENOUGH = 8, CHECK_WRONG = 3, CHECK_GONE = 64 /* descriptors that nobody has any more, and none that was right */, CHECK_EVERY = 256 };

/* Of a program, by its path. It is said once if what was written down is wrong. */
typedef void member_check_say(const char *format, ...);
struct member_check *member_check_new(const char *path, member_check_say *say);
void member_check_free(struct member_check *check); /* NULL is allowed */

/* A probe tells a descriptor, by which it can be proven; until there is one, what was written down is believed. */
void member_check_expect(struct member_check *check);

/* Tells whether what was found that way may be told of an event of this thread, which tells the descriptor; -1: it tells none. */
bool member_check_holds(struct member_check *check, int32_t tid, int64_t fd);

#endif
