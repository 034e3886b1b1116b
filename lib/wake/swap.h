/*
 * swap: whose pages are swapped out. A thread that needs memory, or the kernel by itself, writes pages of other processes to make room: so
 * the submitter of the request is not its cause. Private to lib/wake.
 */
#ifndef WAKE_SWAP_H
#define WAKE_SWAP_H

#include "wake/core.h"

/* Index of the first thread of the process that owned most of the pages swapped out at that time; INDEX_NONE: not known. */
int32_t swap_owner_at(const struct wake *wake, int64_t ts);

#endif
