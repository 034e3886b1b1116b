/*
 * wake_event: what each kind of event means. Handlers are named in the table of wake_event.c, with the fields that they
 * read, and call what wake.h offers. Private to lib/wake.
 */
#ifndef WAKE_EVENT_H
#define WAKE_EVENT_H

#include "wake/wake.h"

/* An event, where it happened, and to whom. */
struct happening {
	struct wake *wake;
	const struct slot *slot;
	const struct event *event;
	struct cpu *cpu;
	struct thread *current; /* NULL: nobody knows */
};

/* Fields by their place in the table. */
int64_t happening_number(const struct happening *at, int field);
int64_t happening_first(const struct happening *at, int field); /* of an array */
bool happening_has(const struct happening *at, int field);
size_t happening_text(const struct happening *at, int field, char *text, size_t room);
int happening_flags(const struct happening *at); /* FLAGS_NONE: the data lack them */
int16_t happening_call(const struct happening *at); /* the system call, function or interrupt that the event is named after */
bool happening_returns(const struct happening *at); /* it is the function's return, or the interrupt's end */

/* The thread whose own doing it is: NULL in an interrupt, for the idle thread, and where nobody knows. */
struct thread *happening_own(const struct happening *at);

typedef void event_handler(struct happening *at);

/* wake_on_sched.c */
event_handler on_switch, on_waking, on_wakeup, on_migrate, on_fork, on_wakeup_new, on_thread_exit;

/* wake_called.c */
event_handler on_rename;

/* wake_on_kernel.c: interrupts, timers, work queues, system calls, traced functions */
event_handler on_irq_entry, on_irq_exit, on_vector, on_softirq_raise, on_softirq_entry, on_softirq_exit;
event_handler on_timer_start, on_timer_entry, on_hrtimer_entry, on_timer_exit;
event_handler on_queue_work, on_work_start, on_work_end, on_sys_enter, on_raw_sys_enter, on_futex, on_sys_exit, on_function;

/* wake_on_memory.c: pages written back for others, memory reclaimed and who is killed for it, locks of the kernel */
event_handler on_dirty, on_balance_dirty, on_write_inode, on_journal_inode, on_write_over, on_reclaim_begin, on_reclaim_end;
event_handler on_group_reclaim_begin, on_oom_victim;
event_handler on_contention_begin, on_contention_end;

/* wake_on_file.c: which kind of socket, or that it is a fault of a mapped file */
event_handler on_socket, on_fault;

/* wake_on_block.c */
event_handler on_bio_queue, on_rq_issue, on_rq_requeue, on_rq_complete, on_bio_complete;

#endif
