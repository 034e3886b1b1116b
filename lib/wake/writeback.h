/*
 * writeback: dirty pages, which are to be written to a disk. Private to lib/wake.
 */
#ifndef WAKE_WRITEBACK_H
#define WAKE_WRITEBACK_H

#include "wake/core.h"

/* Of a wait: the thread had made too many pages dirty, and waited until the disk had caught up. */
enum { CAUSE_DIRTY = CAUSE(PART_WRITEBACK, 0) };

#endif
