/*
 * departed: numbers of threads that are gone, of which something may still be said: each is given back when so many
 * others have gone after it. Zero is the empty one.
 */
#ifndef BASE_DEPARTED_H
#define BASE_DEPARTED_H

#include <stdint.h>

enum { DEPARTED = 4096 };

struct departed {
	int32_t tids[DEPARTED];
	unsigned next;
};

/* The one that went longest ago; 0: there are not so many yet. */
static inline int32_t departed_add(struct departed *departed, int32_t tid)
{
	int32_t *place = &departed->tids[departed->next++ % DEPARTED], oldest = *place;

	*place = tid;
	return oldest;
}

#endif
