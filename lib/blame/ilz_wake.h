/* ilz_wake: iterative logical zeroing of a wake graph. Private to ilz.c. */
#ifndef BLAME_ILZ_WAKE_H
#define BLAME_ILZ_WAKE_H

#include "blame/algorithm.h"

/* The `count` names, one after the other, that shorten the replay (replay_wake.h) most; of each a node (algorithm.h). */
void choose_ilz_wake(const struct blame *blame, size_t count, struct choices *choices);

#endif
