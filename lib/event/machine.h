/*
 * machine: names of system calls by number. The numbers depend on the machine; a stream names its machine as uname(2) does.
 */
#ifndef EVENT_MACHINE_H
#define EVENT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_UNKNOWN = 0 };

/*
 * The machine of a name: "x86_64", "i686", "aarch64", "armv7l", "s390x"...; MACHINE_UNKNOWN for "" and for a name that libseccomp does
 * not know.
 */
uint32_t machine_of(const char *name);

/* The number of a call by its name; false: the machine has none of this name. */
bool machine_call(uint32_t machine, const char *name, int64_t *number);

/* "futex"; "syscall_202" if the machine or the call is unknown. Cut at room - 1, with NUL; returns its length. */
size_t machine_spell_call(uint32_t machine, int64_t number, char *text, size_t room);

#endif
