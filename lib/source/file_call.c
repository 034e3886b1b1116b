#include "source/file_call.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include <seccomp.h>

enum { CALLS_MAX = 1024 };

static const char *const calls[] = {"read", "readv", "pread64", "preadv2", "write", "writev", "pwrite64", "pwritev2",
				    "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "splice", "sendfile64",
				    "sendfile", "ioctl"};

bool file_call_named(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i], name) == 0)
			return true;
	return false;
}

static bool by_number[CALLS_MAX];

static void find_numbers(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int call = seccomp_syscall_resolve_name(calls[i]);

		if (call >= 0 && call < CALLS_MAX)
			by_number[call] = true;
	}
}

/* The collector's thread and the recorder's may both come first, at the same time. */
bool file_call_numbered(int64_t number)
{
	static pthread_once_t found = PTHREAD_ONCE_INIT;

	pthread_once(&found, find_numbers);
	return number >= 0 && number < CALLS_MAX && by_number[number];
}
