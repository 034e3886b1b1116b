/*
 * flush: what blk-flush.c of the kernel does, as its events show it. A bio that asks for a flush (rwbs begins with F) waits
 * until the disk is sent a flush, a request of the kernel's own with rwbs FF and no sectors. One flush serves all bios that
 * had asked by then. Then the bio is over, or if it has data these are written as any other's. If the disk cannot
 * write past its cache, data that must not stay there (F behind the W of the bio, none in the request) are followed by
 * another flush. At the end the kernel completes once more what the bio had become, with no sectors. Private to lib/wake.
 */
#ifndef WAKE_FLUSH_H
#define WAKE_FLUSH_H

#include "wake/request.h"

bool flush_is(const struct request *range); /* the request is a flush and nothing else */

/* A bio that may ask for a flush is queued; a device that hands its bios on has completed one that asked. */
void flush_queued(struct wake *wake, const struct request *asker);
void flush_handed_back(struct wake *wake, const struct request *range);

/*
 * A flush is issued, is complete; an asker is complete. The first returns whether requests began to wait for it and sets their
 * owner; the others return the first request that is over; INDEX_NONE: none.
 */
void flush_issued(struct wake *wake, const struct request *range);
int32_t flush_complete(struct wake *wake, const struct request *range);
int32_t flush_over(struct wake *wake, const struct request *range);

/* The data of a request are issued as this range, are written. */
void flush_data_issued(struct request *request, const struct request *range);
void flush_data_written(struct wake *wake, int32_t request);

#endif
