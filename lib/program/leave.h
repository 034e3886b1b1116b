/*
 * leave: how calls of a program's functions end, asked of a process without rights (program/lookup.h) about the program, its libraries,
 * and those that throw stacks away. What there is to tell is in program/ends.h.
 */
#ifndef PROGRAM_LEAVE_H
#define PROGRAM_LEAVE_H

#include "program/ends.h"
#include "program/lookup.h"

struct leave;

/* Of a program or library. NULL after fail(). The lookup must live as long. */
struct leave *leave_new(struct lookup *lookup, const char *path);
void leave_free(struct leave *leave); /* NULL: nothing */

/* Whether calls of its functions may be left unseen, by an exception or by longjmp(): the stack pointer tells where. */
bool leave_may_jump(const struct leave *leave);

/* As ends_find(). */
int leave_find(const struct leave *leave, const char *function, uint64_t offset, struct ends *ends);

/* Where stacks are thrown away, in the program and in the libraries that it has; the caller frees the paths. Returns how many. */
struct leave_switch {
	char *path;
	struct ends_switch at;
};

enum { LEAVE_SWITCHES = 3 * ENDS_SWITCHES };

size_t leave_switches(const struct leave *leave, struct leave_switch found[LEAVE_SWITCHES]);

#endif
