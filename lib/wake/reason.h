/*
 * reason: what threads wait in, or for: a system call, perhaps with the kind of its file, a lock of the kernel, a page, memory.
 * A piece keeps the index of its reason: equal reasons have equal indexes.
 */
#ifndef WAKE_REASON_H
#define WAKE_REASON_H

#include <stdbool.h>
#include <stdint.h>

enum { REASON_NONE = -1 };

struct reason { /* the texts are those of struct deed (graph/deed.h); NULL: none */
	const char *syscall, *object, *lock, *purpose;
	bool naps; /* the call could wait for events, but names none: it only sleeps */
	bool many;	 /* the call waits for any of many events: a thread in it is idle, see ask.c */
	int files;     /* which of its arguments, from 1 on, is the number of the files that it waits for; 0: none */
	bool receives; /* it takes something out of a file or socket */
	bool sends;    /* it puts something in */
	bool children; /* it waits for a child to end */
	bool asks, closes; /* it makes the file a connection through which the process asks; it closes the file */
};

struct reasons;

/* NULL after fail(): the list of calls cannot be read, see event/call_meanings.h. */
struct reasons *reasons_new(void);
void reasons_free(struct reasons *reasons);

/* Tells whether this result of the call says that somebody else has what the thread tries to get. */
bool reasons_fails(const struct reasons *reasons, const char *syscall, int64_t result);

/* The index of the reason with these four texts, which are copied, and this `naps`; REASON_NONE: there are too many. */
int16_t reason_index(struct reasons *reasons, struct reason reason);
int16_t reason_syscall(struct reasons *reasons, const char *syscall);

/* The reason with this index; for REASON_NONE, one without texts. */
const struct reason *reason_at(const struct reasons *reasons, int16_t index);

#endif
