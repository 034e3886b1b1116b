/*
 * swapped: whose pages are swapped out.
 *
 * No event of the kernel says so: the thread that has to make room writes a page, and that is often the kernel's, or the next that needs
 * memory. But VmSwap in /proc/PID/status grows. So all processes are looked at when tracing begins, and while the machine's free swap space
 * falls. Then the stream gets an event swap:out of the process that most of the pages belong to. Its fields are the process (pid), the time of
 * the look before (since), how many bytes of the process were swapped out since then (bytes), and how many of all processes (all).
 */
#ifndef SOURCE_SWAPPED_H
#define SOURCE_SWAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/event_writer.h"

struct swap_owner;

struct swapped { /* all zero: nothing was looked at yet */
	struct swap_owner *owners; /* hash by pid */
	uint64_t looks;		   /* at processes, so far */
	uint64_t used;		   /* used bytes of the machine's swap space at the last look, */
	uint64_t used_then;	   /* and at the last look at processes */
	int64_t next, since;	   /* next: when to look again; since: time of the last look at processes */
	bool told;		   /* the stream has the event's format */
};

/*
 * Looks, if that is due, and writes the event with the time `ts`, up to which all other events are written. May be called often: it looks at
 * processes at most five times a second, and where there are very many so rarely that it costs less than a two-hundredth of a CPU. -1 after
 * fail().
 */
int swapped_look(struct swapped *swapped, struct event_writer *writer, const struct trace_clock *clock, int64_t ts);
void swapped_free(struct swapped *swapped);

#endif
