/*
 * softirq: the kernel's soft interrupts, by number. If a soft interrupt carries somebody's data (a packet sent to this very machine),
 * the thread that raised it did it. All others are the kernel's housekeeping, whichever thread happened to be running. Private to
 * lib/wake and lib/walk.
 */
#ifndef WAKE_SOFTIRQ_H
#define WAKE_SOFTIRQ_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SOFTIRQ_HI, SOFTIRQ_TIMER, SOFTIRQ_NET_TX, SOFTIRQ_NET_RX, SOFTIRQ_BLOCK, SOFTIRQ_IRQ_POLL, SOFTIRQ_TASKLET, SOFTIRQ_SCHED,
	SOFTIRQ_HRTIMER, SOFTIRQ_RCU, SOFTIRQS
};

const char *softirq_name(int32_t number); /* "?": there is no such soft interrupt */
bool softirq_carries(int32_t number);
bool softirq_is_timer(int32_t number);

#endif
