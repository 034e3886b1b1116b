/*
 * member_check: tells whether the places that were written down for a program's members (program/members.h) fit the program.
 *
 * Numbers and texts do not show whether they are right, but a descriptor does: it must be a socket of the process. So the stream gets no such
 * member before a descriptor was right. At first only events whose own descriptor was right have members. Once CHECK_WRONG descriptors were
 * wrong, and these are more than the right ones, no event has members any more.
 */
#ifndef SOURCE_MEMBER_CHECK_H
#define SOURCE_MEMBER_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct member_check;

enum { CHECK_ENOUGH = 8, CHECK_WRONG = 3, CHECK_GONE = 64 /* descriptors closed before the look, if none was right */, CHECK_EVERY = 256 };

/* A check of the program at `path`. `say` gets a message, once, if the places are wrong. */
typedef void member_check_say(const char *format, ...);
struct member_check *member_check_new(const char *path, member_check_say *say);
void member_check_free(struct member_check *check); /* NULL is allowed */

/* Says that a probe tells a descriptor, which can prove the places. Without such a probe, they are believed. */
void member_check_expect(struct member_check *check);

/* Tells whether an event of this thread, with this descriptor, may have members; fd -1: the event has no descriptor. */
bool member_check_holds(struct member_check *check, int32_t tid, int64_t fd);

#endif
