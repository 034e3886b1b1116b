/*
 * input: reads from pipes that may keep their reader waiting, which has something better to do meanwhile.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stddef.h>
#include <sys/types.h>

/*
 * As read(2). Before a read of `fd` that would block, and after a signal, wait() is called, if there is one; what it returns other
 * than 0 ends the reading. The count of bytes; 0 at the end; -1 after fail(), which is the sentence of wait() where that
 * ended it. `name` is the file's, for that sentence.
 */
ssize_t read_or_wait(int fd, const char *name, void *bytes, size_t room, int (*wait)(void *context, int fd), void *context);

/*
 * Waits until something can be read from `fd`, or nobody reads the pipe `out` (-1: there is none) any more. 1: that is so; 0: it is not;
 * -1: a signal came, no failure.
 */
int await_input(int fd, int out);

#endif
