#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { ANY = -1 }; /* of a need: all have it */

/* The system calls, by what they are needed for. A name that a machine does not have is passed over. */
static const struct {
	int need;
	const char *names;
} calls[] = {
	{ANY, "read readv pread64 write writev pwrite64 lseek _llseek close fstat fstat64 newfstatat fstatat64 stat stat64 lstat lstat64 "
	      "statx statfs fstatfs fcntl fcntl64 poll ppoll ppoll_time64 select pselect6 readlink readlinkat access faccessat "
	      "faccessat2 getcwd fadvise64 fadvise64_64 fsync ftruncate ftruncate64 dup dup2 dup3 pipe pipe2 umask ioctl"},
	{ANY, "mmap mmap2 mprotect munmap mremap brk madvise futex futex_time64 getrandom"},
	{ANY, "rt_sigaction rt_sigprocmask rt_sigreturn sigreturn sigaltstack restart_syscall alarm exit exit_group"},
	{ANY, "clock_gettime clock_gettime64 clock_getres gettimeofday time times getrusage nanosleep clock_nanosleep "
	      "clock_nanosleep_time64"},
	{ANY, "getpid gettid getuid geteuid getgid getegid getuid32 geteuid32 uname sysinfo prlimit64 getrlimit sched_yield "
	      "sched_getaffinity rseq set_robust_list"},
	{CONFINE_RENAME, "link linkat rename renameat renameat2 unlink unlinkat fchmod chmod"},
	{CONFINE_TEMPORARY, "open openat unlink unlinkat fallocate fchmod mkdir mkdirat rmdir"},
	{CONFINE_SOCKET, "connect sendto send sendmsg recvfrom recv recvmsg getsockopt getpeername shutdown"},
	{CONFINE_SPAWN, "clone clone3 vfork fork execve execveat wait4 waitid waitpid kill tgkill open openat mkdir mkdirat rmdir unlink "
			"unlinkat link linkat rename renameat renameat2 chdir fchdir fchmod chmod fchmodat getdents64 getdents arch_prctl "
			"set_tid_address set_thread_area prctl getppid getpgrp getpgid setpgid getgroups getresuid getresgid setuid "
			"sched_setaffinity sched_getparam sched_getscheduler set_mempolicy get_mempolicy flock fallocate utimensat symlink "
			"getxattr lgetxattr memfd_create membarrier copy_file_range sendfile sendfile64 fchown mlock sched_get_priority_max sched_get_priority_min"},
};

static void add(scmp_filter_ctx filter, const char *names)
{
	char *copy = memory_text(names, strlen(names)), *rest = NULL;

	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		int number = seccomp_syscall_resolve_name(name);

		if (number != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	}
	free(copy);
}

/* Opened is what exists, for reading; and a socket is one of this machine. */
static void add_bounded(scmp_filter_ctx filter, unsigned needs)
{
	enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) };

	if (!(needs & (CONFINE_TEMPORARY | CONFINE_SPAWN))) {
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY));
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY));
	}
	if (needs & CONFINE_SOCKET)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, 1 /* AF_UNIX */));
	/* a signal to itself, as of abort() */
	if (!(needs & (CONFINE_SPAWN))) {
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	}
}

static void load_filter(unsigned needs)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);

	if (!filter)
		return;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].need == ANY || needs & (unsigned)calls[i].need)
			add(filter, calls[i].names);
	add_bounded(filter, needs);
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree: a read costs as little as a write */
	seccomp_load(filter);
	seccomp_release(filter);
}

/* What a handler may call: no stdio, no memory. */
static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void refused(int number, siginfo_t *info, void *context)
{
	char digits[16], *at = digits + sizeof(digits) - 1;

	(void)context;
	*at = '\0';
	for (unsigned call = (unsigned)info->si_syscall; at == digits + sizeof(digits) - 1 || call; call /= 10)
		*--at = (char)('0' + call % 10);
	say(program_invocation_short_name);
	say(": the system call ");
	say(at);
	say(" is not one that it needs, so it ends here; what it read may have made it do that\n");
	signal(number, SIG_DFL);
	raise(number);
}

static bool set_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {
		{(uint32_t)kept, (uint32_t)kept, 0}, {(uint32_t)(kept >> 32), (uint32_t)(kept >> 32), 0}};

	return syscall(SYS_capset, &header, data) == 0;
}

static bool has_capabilities(uint64_t *all)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	*all = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return *all != 0;
}

/* Whether a file in the folder of `place`, or in `place` itself, can be renamed with no more than one's name. */
static bool may_write(const char *place)
{
	char *copy = memory_text(place, strlen(place)), *real = realpath(place, NULL);
	struct stat status;
	const char *folder = stat(place, &status) == 0 && S_ISDIR(status.st_mode) ? copy : dirname(copy);
	bool may = faccessat(AT_FDCWD, real && folder != copy ? dirname(real) : folder, W_OK | X_OK, AT_EACCESS) == 0;

	free(real);
	free(copy);
	return may;
}

/* What is there, and cannot be read; the file's own message is another one's business. */
static bool may_not_read(const char *path)
{
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES;
}

/* The scripts of pictures, too: they may lie in the source tree of another user. */
static bool may_read(unsigned needs, char *const *files, int count)
{
	char *shipped = needs & CONFINE_SPAWN ? file_shipped("charts") : NULL;
	bool may = !(needs & CONFINE_SPAWN) || (shipped && !may_not_read(shipped));

	for (int i = 0; i < count && may; i++)
		may = !may_not_read(files[i]);
	free(shipped);
	return may;
}

static bool may_write_all(unsigned needs, const char *place)
{
	const char *folder = getenv("TMPDIR");

	if (needs & CONFINE_TEMPORARY && !may_write(folder && *folder ? folder : "/tmp"))
		return false;
	return !place || may_write(place);
}

static void drop_capabilities(unsigned needs, const char *place, char *const *files, int count)
{
	const uint64_t reading = UINT64_C(1) << CAP_DAC_READ_SEARCH;
	const uint64_t writing = UINT64_C(1) << CAP_DAC_OVERRIDE | UINT64_C(1) << CAP_FOWNER;
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {0};
	uint64_t all;

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (!has_capabilities(&all))
		return;
	for (int number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++)
		prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
	none[0].permitted = (uint32_t)all;
	none[1].permitted = (uint32_t)(all >> 32);
	if (syscall(SYS_capset, &header, none) < 0)
		return;
	set_capabilities(all & ((may_read(needs, files, count) ? 0 : reading) | (may_write_all(needs, place) ? 0 : writing)));
}

void confine(unsigned needs, const char *place, char *const *files, int count)
{
	struct sigaction trap = {.sa_sigaction = refused, .sa_flags = (int)(SA_SIGINFO | SA_NODEFER)};

	drop_capabilities(needs, place, files, count);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || confine_obstacle())
		return;
	sigaction(SIGSYS, &trap, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* its leak checker stops and traces the program at its end */
	load_filter(needs);
#else
	(void)load_filter;
#endif
}

const char *confine_obstacle(void)
{
	uint32_t action = SECCOMP_RET_TRAP;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		return NULL;
	return "this kernel cannot filter system calls, so commands are not confined";
}
