/*
 * now: the time by a clock of this machine.
 */
#ifndef BASE_NOW_H
#define BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* The time in ns; 0: there is no such clock, such as the clock of a process that has ended. */
int64_t now_by(clockid_t clock);

#endif
