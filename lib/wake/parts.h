/*
 * parts: the list of the parts of lib/wake, one for each subsystem of the kernel that threads wait for. A new part is a
 * file, and a line here: PART(NUMBER, name) for the `struct part name_part` of that file. Private to lib/wake, lib/calls and lib/walk.
 *
 * The core calls the parts in this order. What an event or a sleep means may depend on the parts above: the lock that a
 * thread sleeps for says more than the system call that it is in.
 */
#ifndef WAKE_PARTS_H
#define WAKE_PARTS_H

#include <stdint.h>

#define PARTS(PART) \
	PART(SCHED, sched)	   /* threads run, sleep, are woken, begin and end */ \
	PART(RECORDING, recording) /* which CPUs were recorded */ \
	PART(CONTEXT, context)	   /* interrupts, soft interrupts, timers */ \
	PART(QUOTA, quota)	   /* control groups that used up their CPU quota */ \
	PART(FREQUENCY, frequency) /* how fast CPUs ran */ \
	PART(SYSCALL, syscall)	   /* the system call that a thread is in */ \
	PART(RECLAIM, reclaim)	   /* threads that look for free memory */ \
	PART(CRASH, crash)	   /* signals that threads die of */ \
	PART(LOCK, lock)	   /* the kernel's own locks */ \
	PART(WRITEBACK, writeback) /* pages that are to be written to a disk */ \
	PART(FILE, file)	   /* kinds of files and sockets, faults of mapped files */ \
	PART(WORK, work)	   /* work queues */ \
	PART(SWAP, swap)	   /* owners of swapped-out pages */ \
	PART(BLOCK, block)	   /* block requests, flushes */ \
	PART(STACKED, stacked)	   /* devices that hand their bios on to others */ \
	PART(LOOP_DEVICE, loop_device) /* requests of loop devices, and the works that do them */ \
	PART(URING, uring)	   /* requests of io_uring, and the threads that do them */ \
	PART(SHAPER, shaper)	   /* packets that a queue holds back */ \
	PART(QUESTION, question) /* questions through connections that are not answered yet */ \
	PART(ASK, ask)		   /* requests of threads to threads, and their answers */ \
	PART(PEER, peer)	   /* who hangs at the other end of a connection since before the data */ \
	PART(LIMIT, limit)	   /* deadlines at which waits end by themselves */ \
	PART(RETRY, retry)	   /* calls that return in vain, and are repeated */ \
	PART(SERVED, served)	   /* the clients that threads of servers worked for */ \
	PART(POLL, poll)	   /* locks that threads try to get again and again */ \
	PART(EARLIER_NAMES, earlier_names) /* names that threads had before */ \
	PART(STACK, stack)	   /* in which functions threads sleep, and wake others */ \
	PART(COUNTED, counted)	   /* what was counted while threads ran */ \
	PART(FUNCTION, function)   /* traced functions */ \
	PART(RULE, rule)	   /* the user's rules for programs */

#define PART_NUMBER(NUMBER, name) PART_##NUMBER,
enum part_number { PARTS(PART_NUMBER) PARTS_COUNT };
#undef PART_NUMBER

/* What ended a wait, or what a run is for: cause number `n` of the part. */
enum { CAUSES_EACH = 8 };
#define CAUSE(part, n) ((part) * CAUSES_EACH + (n))
_Static_assert(PARTS_COUNT * CAUSES_EACH <= 256, "a cause is a byte of struct piece");

/*
 * Flags of pieces: the core's come first, then those of parts; PIECE_OF() is bit `n` of a part. All 16 bits are taken; with 32, struct
 * piece would have 32 bytes instead of 24.
 */
typedef uint16_t piece_flags;
enum { LOCK_BITS = 6, RECLAIM_BITS = 7, ASK_BITS = 10, RETRY_BITS = 13 };
#define PIECE_OF(bits, n) (1 << ((bits) + (n)))

#endif
