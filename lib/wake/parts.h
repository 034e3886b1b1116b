/*
 * parts: the list of the parts of lib/wake, one for each subsystem of the kernel that threads wait for. A new part is a
 * file, and a line here: PART(NUMBER, name) for the `struct part name_part` of that file. Private to lib/wake.
 *
 * The parts are asked and told in this order. What an event or a sleep means may depend on the parts above: the lock that a
 * thread sleeps for says more than the system call that it is in.
 */
#ifndef WAKE_PARTS_H
#define WAKE_PARTS_H

#define PARTS(PART) \
	PART(SCHED, sched)	   /* threads run, sleep, are woken, begin and end */ \
	PART(CONTEXT, context)	   /* interrupts, soft interrupts, timers */ \
	PART(QUOTA, quota)	   /* control groups that used up their CPU quota */ \
	PART(FREQUENCY, frequency) /* how fast CPUs ran */ \
	PART(SYSCALL, syscall)	   /* the system call that a thread is in */ \
	PART(LOCK, lock)	   /* the kernel's own locks */ \
	PART(RECLAIM, reclaim)	   /* free memory is looked for */ \
	PART(WRITEBACK, writeback) /* pages that are to be written to a disk */ \
	PART(FILE, file)	   /* kinds of files and sockets, faults of mapped files */ \
	PART(WORK, work)	   /* work queues */ \
	PART(BLOCK, block)	   /* block requests, flushes */ \
	PART(LOOP_DEVICE, loop_device) /* requests of a loop device, and who does them */ \
	PART(URING, uring)	   /* requests of io_uring, and who does them */ \
	PART(ASK, ask)		   /* requests of threads to threads, and their answers */ \
	PART(CALLED, called)	   /* what threads were called */ \
	PART(STACK, stack)	   /* in which functions threads sleep, and wake others */ \
	PART(FUNCTION, function)   /* traced functions */

#define PART_NUMBER(NUMBER, name) PART_##NUMBER,
enum part_number { PARTS(PART_NUMBER) PARTS_COUNT };
#undef PART_NUMBER

/* What ended a wait, or what a run is for: cause `n` of those that a part has. */
enum { CAUSES_EACH = 8 };
#define CAUSE(part, n) ((part) * CAUSES_EACH + (n))

#endif
