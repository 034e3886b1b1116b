/*
 * context: the stack of what a CPU is doing: a thread, and the interrupts that nest on top of it. It tells the cause of an event, such as the
 * end of a wait or the queueing of a work: the thread, a device, a timer, or whoever raised the soft interrupt that is being handled. Private
 * to lib/wake and lib/walk.
 */
#ifndef WAKE_CONTEXT_H
#define WAKE_CONTEXT_H

#include "wake/node.h"

enum {
	CAUSE_RAISED = CAUSE(PART_CONTEXT, 0),   /* a soft interrupt that was handled after its raiser had left the CPU; index: of a raise */
	CAUSE_TIMER = CAUSE(PART_CONTEXT, 1),    /* index: of the raise by which it was armed; INDEX_NONE: not known */
	CAUSE_SENT = CAUSE(PART_CONTEXT, 2),     /* a packet that a timer sent on this machine; index: as above */
	CAUSE_IRQ = CAUSE(PART_CONTEXT, 3),      /* index: number of the interrupt */
	CAUSE_SOFTIRQ = CAUSE(PART_CONTEXT, 4),  /* index: number of the soft interrupt */
	CAUSE_DEFERRED = CAUSE(PART_CONTEXT, 5), /* as CAUSE_SOFTIRQ, but ksoftirqd handled it later; index: of a raise */
};

/*
 * context_doer(): who causes an event that happens now. context_cause(): its cause, and the index that belongs to that. `flags` are
 * the event's common_flags, which tell hard and soft interrupts even where no event announces them; FLAGS_NONE: the data lack them.
 */
struct raise context_doer(struct wake *wake, struct cpu *cpu, int flags);
uint8_t context_cause(struct wake *wake, struct cpu *cpu, int32_t tid, int flags, int32_t *index);

/* The raise of the soft interrupt that the CPU handles; NULL: it handles none. */
const struct raise *context_raiser(const struct cpu *cpu);

/*
 * Something was completed, such as a block request. It is the cause of the wake-ups that follow in the same interrupt, or with the
 * next events of the thread. `index` INDEX_NONE: nothing was completed.
 */
void context_completed(struct cpu *cpu, uint8_t cause, int32_t index, int flags);

/* Sets the keys of the deed, if the cause is an interrupt. False: it is none. */
bool context_tell_interrupt(const struct wake *wake, uint8_t cause, int32_t index, struct deed *deed);

/* Makes a node of a soft interrupt that was handled after its raiser had left the CPU, for the time in between, which is nobody's. */
int32_t context_raised_node(struct cut *cut, const struct thread *thread, const struct raise *raise, int64_t end);

#endif
