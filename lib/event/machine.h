/*
 * machine: whose numbers of system calls they are. A stream names the machine that it came from as uname(2) does.
 */
#ifndef EVENT_MACHINE_H
#define EVENT_MACHINE_H

#include <stddef.h>
#include <stdint.h>

enum { MACHINE_UNKNOWN = 0 };

/*
 * "x86_64", "i686", "aarch64", "armv7l", "s390x"...; MACHINE_UNKNOWN where libseccomp knows none of this name. "" is the
 * machine that the program runs on: a stream that says nothing of its machine is taken to be from here.
 */
uint32_t machine_of(const char *name);

/* "futex"; "syscall_202" where machine or call is not known. Cut at room - 1, with NUL; returns its length. */
size_t machine_spell_call(uint32_t machine, int64_t number, char *text, size_t room);

#endif
