/*
 * exited_tids: a FIFO of the tids of threads that exited. It keeps the last 4096. Adding a tid returns the one that it evicts; the name and
 * state of that thread can then be forgotten. All zero is the empty FIFO.
 */
#ifndef BASE_EXITED_TIDS_H
#define BASE_EXITED_TIDS_H

#include <stdint.h>

enum { EXITED_TIDS = 4096 };

struct exited_tids {
	int32_t tids[EXITED_TIDS];
	unsigned next;
};

/* Adds a tid and returns the one that it evicts; 0: none yet. */
static inline int32_t exited_tids_add(struct exited_tids *exited, int32_t tid)
{
	int32_t *place = &exited->tids[exited->next++ % EXITED_TIDS], oldest = *place;

	*place = tid;
	return oldest;
}

#endif
