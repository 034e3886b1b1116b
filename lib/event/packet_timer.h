/*
 * packet_timer: the kernel's timers that send packets, by the name of their function.
 */
#ifndef EVENT_PACKET_TIMER_H
#define EVENT_PACKET_TIMER_H

#include <stddef.h>

struct packet_timer {
	const char *function;
	const char *sends; /* in words */
};

enum { PACKET_TIMERS = 7 };
extern const struct packet_timer packet_timers[PACKET_TIMERS];

/* The index of a function's name, which need not end in a NUL; -1: it is none of these. */
int packet_timer_find(const char *function, size_t length);

#endif
