/*
 * work: work queues. The time that a kernel thread spends on a work belongs to the thread that queued the work. If no thread did, or the data do
 * not show which, the time is the kernel thread's own. Private to lib/wake.
 */
#ifndef WAKE_WORK_H
#define WAKE_WORK_H

#include "wake/core.h"

enum { CAUSE_WORK = CAUSE(PART_WORK, 0) }; /* of a run that does a work; index: of the work */

struct work { /* an item of a work queue, for a kernel thread to do */
	struct raise by; /* who queued it, and when */
	int32_t owner;	 /* index of the thread that by.thread worked for, if by.thread was doing a work itself; else by.thread */
	int64_t started;
	int32_t cause_index;
	uint8_t cause; /* if by.thread is INDEX_NONE: what queued it, with cause_index */
	bool throttled; /* it resumes requests that a control group's limit held back */
	int16_t queue; /* index of the work queue's name */
	uint64_t serves; /* the loop device whose requests it does; 0: none */
};

struct work *work_at(const struct wake *wake, int32_t index);
int32_t work_of(const struct thread *thread); /* index of the work that the thread does; INDEX_NONE */
bool work_is_queued(const struct wake *wake, uint64_t address);

#endif
