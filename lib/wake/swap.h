/*
 * swap: whose pages are swapped out. Whoever needs memory writes the pages of others to make room, and the kernel does so by itself: the
 * request's submitter is not its cause. Private to lib/wake.
 */
#ifndef WAKE_SWAP_H
#define WAKE_SWAP_H

#include "wake/core.h"

/* Index of the thread, the first of its process, most of whose pages were swapped out at that time; INDEX_NONE: not known. */
int32_t swap_owner_at(const struct wake *wake, int64_t ts);

#endif
