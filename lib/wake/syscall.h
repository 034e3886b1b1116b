/*
 * syscall: the system call that each thread is in. Private to lib/wake and lib/walk.
 */
#ifndef WAKE_SYSCALL_H
#define WAKE_SYSCALL_H

#include "wake/core.h"

enum { FD_NONE = -1 };

struct in_call {
	int16_t name;  /* index of a reason (reason.h); CALL_NONE: the thread is in no call */
	int16_t named; /* the more telling reason that a part gave to waits in this call; CALL_NONE */
	int32_t fd;    /* the file that the call is for; FD_NONE: none, or not known */
	int64_t since; /* when it was entered */
	bool seen;     /* the thread has entered or left a call since the last gap */
};

static inline struct in_call *syscall_of(const struct thread *thread)
{
	return thread->of[PART_SYSCALL];
}

/* Tells whether the piece is a wait in the call that the thread is in. */
bool syscall_waits(const struct thread *thread, const struct piece *piece);

/* Tells whether a thread that sleeps now is still in the call that it was in then. */
bool syscall_is_same(const struct wake *wake, const struct thread *thread, int64_t then, int16_t call);

#endif
