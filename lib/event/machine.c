#include "event/machine.h"

#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Machines whose name in libseccomp differs from uname(2). */
static const struct {
	const char *name;
	uint32_t machine;
} others[] = {
	{"i386", SCMP_ARCH_X86},    {"i486", SCMP_ARCH_X86},	{"i586", SCMP_ARCH_X86},    {"i686", SCMP_ARCH_X86},
	{"armv4l", SCMP_ARCH_ARM},  {"armv4tl", SCMP_ARCH_ARM}, {"armv5tel", SCMP_ARCH_ARM}, {"armv5tejl", SCMP_ARCH_ARM},
	{"armv6l", SCMP_ARCH_ARM},  {"armv7l", SCMP_ARCH_ARM},	{"armv8l", SCMP_ARCH_ARM},
};

uint32_t machine_of(const char *name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i].name, name))
			return others[i].machine;
	return *name ? seccomp_arch_resolve_name(name) : MACHINE_UNKNOWN; /* libseccomp, too, returns that for an unknown name */
}

/* libseccomp gives calls of other machines negative numbers. */
bool machine_call(uint32_t machine, const char *name, int64_t *number)
{
	*number = machine == MACHINE_UNKNOWN ? -1 : seccomp_syscall_resolve_name_arch(machine, name);
	return *number >= 0;
}

size_t machine_spell_call(uint32_t machine, int64_t number, char *text, size_t room)
{
	char *name = NULL;
	int length;

	if (machine != MACHINE_UNKNOWN && number >= 0 && number <= INT_MAX)
		name = seccomp_syscall_resolve_num_arch(machine, (int)number);
	length = name ? snprintf(text, room, "%s", name) : snprintf(text, room, "syscall_%lld", (long long)number);
	free(name);
	return (size_t)length < room ? (size_t)length : room - 1;
}
