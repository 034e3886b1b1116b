/*
 * flags: variables of processes, watched by hardware breakpoints: which threads write them, and which read them (Argus, section 3.1).
 *
 *	struct flags flags = {0};
 *	flags_add(&flags, "2646:is_spinning", lookup)	... -1 after fail()
 *	flags_open(&flags, ...), flags_switch()		by the sampler, whose rings the hits come into
 *	flags_take(&flags, &ring, bytes, &hit)		what a record of these is
 *	flags_free(&flags)
 *
 * Each thread of the process gets the breakpoints on each CPU, and threads that it creates inherit them. The machine has few (x86-64:
 * four), and cannot watch reads alone: to watch reads takes two of them, and a write hits both.
 */
#ifndef PROGRAM_FLAGS_H
#define PROGRAM_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "program/perf_ring.h"

struct lookup;

/* Each hit costs some 10 us. A flag with more hits in a second is no longer watched. */
enum { FLAG_HITS_MOST = 10000 };

struct flag {
	char *name; /* "chromium:is_spinning", "chromium:state+8" */
	int32_t process;
	uint64_t address;
	unsigned length;
	bool reads; /* reads are watched, too */

	bool off; /* no longer watched, because it was hit too often */

	/* private */
	int64_t since;
	uint32_t hits; /* hits since `since` */
	int32_t copier; /* the thread whose copy in the kernel hit last; 0: none did. `copied`: the copy's counter (rcx) then */
	uint64_t copied;
};

struct flags {
	ARRAY(struct flag) list;
	/* private */
	struct watch_point *points;
	unsigned user_registers; /* number of registers in each sample */
};

/* Adds PID:SYMBOL[+OFFSET][:LENGTH][:w|rw], or PID:0xADDRESS:LENGTH[:w|rw]. -1 after fail(). */
int flags_add(struct flags *flags, const char *text, struct lookup *lookup);
void flags_free(struct flags *flags);

/* A CPU, and an event there whose ring buffer gets the hits. */
struct flags_output {
	uint32_t cpu;
	int fd;
};

/*
 * Sets the breakpoints, which are off at first; `common`: clock and user registers of all samples. -1 after fail(): the process is gone, or
 * the machine has too few breakpoints; then the message says what takes them.
 */
int flags_open(struct flags *flags, const struct perf_event_attr *common, const struct flags_output *outputs, int count);
int flags_switch(struct flags *flags, unsigned long request); /* does this ioctl() on all breakpoints; -1 after fail() */

struct flags_hit {
	int flag; /* number of the flag */
	int32_t process, thread;
	bool writes;
	bool last; /* it was hit too often, or so often that the kernel dropped hits: from here on it is no longer watched */
	struct perf_cursor user; /* at the thread's registers, in the layout of PERF_SAMPLE_REGS_USER */
};

enum flags_taken { FLAGS_NOT_THEIRS, FLAGS_HIT, FLAGS_NOTHING_NEW /* such as a later byte of a copy that the kernel makes */ };

/* Reads the record at the ring buffer's position; `bytes` is a copy of it. Moves the position to the last record of the same hit. */
enum flags_taken flags_take(struct flags *flags, struct perf_ring *ring, const unsigned char *bytes, struct flags_hit *hit);

#endif
