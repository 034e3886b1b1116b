/* process_state: what a process is doing just now, by /proc. */
#ifndef BASE_PROCESS_STATE_H
#define BASE_PROCESS_STATE_H

#include <sys/types.h>

/* 'R': it runs, or lacks nothing but a CPU; 'S', 'D': it waits; 'T': it is stopped; 'Z': it is over; '\0': it is gone. */
char process_state(pid_t process);

#endif
