/*
 * rights: what a process gives up before it reads what somebody else made.
 *
 * It goes on as a user that nobody else is, without capabilities, without a file system or network in reach, with no system calls but
 * those for memory and for files that are open already, and with bounds on memory and CPU. Where the system refuses one of these,
 * the others hold.
 */
#ifndef PROGRAM_RIGHTS_H
#define PROGRAM_RIGHTS_H

#include <stdint.h>

/* What could not be given up, a bit each. */
enum rights { RIGHTS_USER = 1, RIGHTS_CAPABILITIES = 2, RIGHTS_FILES = 4, RIGHTS_CALLS = 8, RIGHTS_MEMORY = 16 };

/* Of this process, which has one thread. `memory` is what it may have more than now, in bytes. Returns what it still has. */
unsigned rights_drop(uint64_t memory);

/* "its user, seccomp": them in words. The text stays until the next call. */
const char *rights_text(unsigned rights);

#endif
