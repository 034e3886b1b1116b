/*
 * loop_device: requests of loop devices (drivers/block/loop.c in the kernel). A work item does such a request: it submits requests to another
 * disk, or does all itself. So a request of a loop device is followed to the requests below it, or to the work. Private to lib/wake.
 */
#ifndef WAKE_LOOP_DEVICE_H
#define WAKE_LOOP_DEVICE_H

#include "wake/request.h"
#include "wake/work.h"

uint64_t loop_device_of(const struct wake *wake, const char *queue); /* the loop device whose requests the works on this queue do; 0: none */

/* A work is queued; has begun; is about to end. */
void loop_device_queue(struct wake *wake, uint64_t address, const struct work *work);
void loop_device_start(struct wake *wake, int32_t work);
void loop_device_end(struct wake *wake, int32_t work);

/* A request of this owner was issued to the device. A thread has submitted a request, perhaps for a request of a loop device. */
void loop_device_issue(struct wake *wake, uint64_t dev, int32_t owner);
void loop_device_submit(struct wake *wake, const struct thread *thread, int32_t request);

/* loop_device_ender(): a completion on this disk is about to be handled. loop_device_complete(): it completed this request. */
void loop_device_ender(struct wake *wake, struct cpu *cpu, uint64_t disk, int32_t tid, int flags);
void loop_device_complete(struct wake *wake, int32_t request);

#endif
