#include "program/rights.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Above the users that systemd gives to containers, and below those that are negative for some programs. Where it is none, as in a user
 * namespace, it is nobody, who may have other processes, that can end this one.
 */
enum { NOBODY_ELSE = 2147480000, NOBODY = 65534, CPU_SECONDS = 300 };

/* Root still has the file system of others in reach; in this folder there is nothing that could be opened. */
static bool leave_files(void)
{
	return chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0;
}

static bool become(uid_t user)
{
	return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

/* Those that a program it executes could have again; that needs rights itself. */
static void drop_bounding_set(void)
{
	for (int i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
		;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capset, &header, none) == 0;
}

static bool limit(int resource, rlim_t most)
{
	struct rlimit limit = {most, most};

	return setrlimit(resource, &limit) == 0;
}

/* A sanitizer has reserved much. */
static bool limit_memory(uint64_t more)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;
	bool known = file && fscanf(file, "%llu", &pages) == 1;

	if (file)
		fclose(file);
	return known && limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
}

/* What is not here is refused. No memory becomes code. */
static bool limit_calls(void)
{
	static const int calls[] = {
		SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(fcntl), SCMP_SYS(close),
		SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex),
		SCMP_SYS(sysinfo), SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(sched_yield), SCMP_SYS(rt_sigreturn),
		SCMP_SYS(rt_sigprocmask), SCMP_SYS(exit), SCMP_SYS(exit_group)};
	static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(1 /* EPERM */));
	bool done = filter;

	for (size_t i = 0; done && i < sizeof(calls) / sizeof(calls[0]); i++)
		done = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
	for (size_t i = 0; done && i < sizeof(mapping) / sizeof(mapping[0]); i++)
		done = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
	done = done && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return done;
}

unsigned rights_drop(uint64_t memory)
{
	unsigned left = 0;

	left |= limit_memory(memory) ? 0 : RIGHTS_MEMORY;
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	drop_bounding_set();
	left |= leave_files() ? 0 : RIGHTS_FILES;
	left |= become(NOBODY_ELSE) || become(NOBODY) ? 0 : RIGHTS_USER;
	left |= drop_capabilities() ? 0 : RIGHTS_CAPABILITIES;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	left |= limit_calls() ? 0 : RIGHTS_CALLS;
	return left;
}

const char *rights_text(unsigned rights)
{
	static const char *const words[] = {"its user", "capabilities", "the file system", "all system calls (no seccomp)", "all memory"};
	static char text[128];

	*text = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (rights & 1u << i)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? ", " : "", words[i]);
	return text;
}
