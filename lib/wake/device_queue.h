/*
 * device_queue: the queue that a block device has of its own, which no event shows. Private to lib/wake.
 *
 * A request is known to have stood in it if at least four others, issued before it, were completed before it, and one of these holds:
 * - They were completed one after the other until its turn came: there was no gap of half of that time.
 * - They came to an end together, as where a device is paid by the slice of time, but the device did as much as it can: at no other time did it
 *   serve more than twice as many bytes in as long. A device that stands still serves less.
 * The time that the fastest request of its kind took is always the request's own.
 */
#ifndef WAKE_DEVICE_QUEUE_H
#define WAKE_DEVICE_QUEUE_H

#include "wake/request.h"

/* Until when a request that was issued stood behind others in the device; when it was issued, if it is not known to have done so. */
int64_t device_queue_until(struct wake *wake, int32_t request);

#endif
