/*
 * input: reads from pipes, with a callback for the time that a read would block.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Like read(2), but calls wait(), unless it is NULL, before a read of `fd` that would block, and after a signal. If wait() returns
 * other than 0, reading ends. Returns the count of bytes; 0 at the end of the file; -1 after fail(), or if wait() ended it.
 * `name` is the file's, for messages.
 */
ssize_t read_or_wait(int fd, const char *name, void *bytes, size_t room, int (*wait)(void *context, int fd), void *context);

/*
 * Waits until `fd` is readable or the pipe `out` (-1: none) has lost its reader. 1: `out` has no reader; 0: `fd` is readable; -1: a
 * signal came, without fail().
 */
int await_input(int fd, int out);

#endif
