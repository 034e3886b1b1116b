/*
 * lookup_process: the process without rights that reads programs. Part of lookup, see lookup.h.
 */
#ifndef PROGRAM_LOOKUP_PROCESS_H
#define PROGRAM_LOOKUP_PROCESS_H

#include <stddef.h>

/* Sends a message of two parts, and a file unless that is -1. -1 with errno. */
int lookup_send(int socket, const void *head, size_t size, const void *text, size_t length, int fd, int flags);

/* Is that process, after the fork, until its parent is gone. The number of its first answer says which rights it could not drop. */
_Noreturn void lookup_serve(int socket);

#endif
