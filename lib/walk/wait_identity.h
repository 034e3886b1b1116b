/*
 * wait_identity: the identity of a wait, in words: the system call, its object, and the innermost function of the program (Argus, section
 * 4.5; struct wait_identity in walk/whole.h). The call alone is not enough: two reads of one thread may wait for different things.
 *
 *	identities = identities_new(wake)
 *	identities_begin(identities, whole)			for each whole; forgets what it knew of descriptors
 *	number = identities_of(identities, thread, wait, &call)
 *	identities_free(identities)
 *
 * A descriptor that is closed and made anew is another object: "3#2". The two futexes of a condition variable of the C library are one.
 */
#ifndef WALK_WAIT_IDENTITY_H
#define WALK_WAIT_IDENTITY_H

#include "wake/core.h"
#include "walk/whole.h"

struct identities;

struct identities *identities_new(struct wake *wake);
void identities_free(struct identities *identities);
void identities_begin(struct identities *identities, struct whole *whole);

/* A system call, by its reason in the wake core. */
struct call_words {
	uint32_t word, name; /* "call=read", "read"; 0: the reason is no call */
	uint32_t more, zero; /* "read more", "read 0": what it returned */
	bool futex, closes, replaces, descriptor, sends, receives, returns; /* returns: from a handler of a signal */
};
const struct call_words *identities_call(struct identities *identities, int16_t reason); /* valid until the next new reason */

/* A system call that a thread made. */
struct made_call {
	int16_t reason; /* CALL_NONE: the thread is in none */
	int32_t process, fd;
	uint64_t first, second; /* arguments */
};

/* The identity of a wait in this call; `wait` is the index of the piece of the thread with which it begins. */
uint32_t identities_of(struct identities *identities, const struct thread *thread, size_t wait, const struct made_call *call);

/* The word "wait=SYSCALL,OBJECT,FUNCTION" for a wait of this identity, for the events of a segment. */
uint32_t identities_wait(struct identities *identities, uint32_t number);

/* A word for what such a call returned: one for each error, one for 0, one for all results above 0. */
uint32_t identities_result(struct identities *identities, int16_t reason, int64_t ret);

/* The functions of the program in a stack. Words; 0: not known. */
struct stack_words {
	uint32_t function, functions; /* "serve"; "serve;main" */
	bool known;
};
struct stack_words identities_stack(struct identities *identities, uint32_t number);

/* The identity of a call that did not wait; its function is not known. */
uint32_t identities_awake(struct identities *identities, const struct made_call *call);

/* The process has closed a descriptor. identities_file(): the descriptor now has this inode; if it had another before, that one was closed. */
void identities_closed(struct identities *identities, int32_t process, int32_t fd);
void identities_file(struct identities *identities, int32_t process, int32_t fd, uint64_t inode);

/* A number of a stack gets another meaning; INDEX_NONE: all numbers do. */
void identities_new_stack(struct identities *identities, int64_t number);

#endif
