/*
 * work: work queues. The time that a kernel thread spends on a work belongs to the thread that queued it. If no thread did, or the data do not
 * show which, the time is the kernel thread's own. Private to lib/wake.
 */
#ifndef WAKE_WORK_H
#define WAKE_WORK_H

#include "wake/core.h"

enum { CAUSE_WORK = CAUSE(PART_WORK, 0) }; /* of a run, that does a work; index: of the work */

struct work { /* something queued for a kernel thread to do */
	struct raise by; /* who queued it, and when */
	int32_t owner;	 /* index of the thread for whom that one worked, if it is a kernel thread too; else by.thread */
	int64_t started;
	int32_t cause_index;
	uint8_t cause; /* what queued it, and that one's index, where by.thread is INDEX_NONE */
	bool throttled; /* to go on with requests that a limit of a control group held back */
	int16_t queue; /* index of the work queue's name */
	uint64_t serves; /* the loop device whose requests it does; 0: none */
};

struct work *work_at(const struct wake *wake, int32_t index);
int32_t work_of(const struct thread *thread); /* the work that it does; INDEX_NONE */
bool work_is_queued(const struct wake *wake, uint64_t address);

#endif
