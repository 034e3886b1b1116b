/*
 * writeback: pages that are to be written to a disk. Private to lib/wake.
 */
#ifndef WAKE_WRITEBACK_H
#define WAKE_WRITEBACK_H

#include "wake/core.h"

/* A wait until the disk has kept up: too much was to be written. */
enum { CAUSE_DIRTY = CAUSE(PART_WRITEBACK, 0) };

#endif
