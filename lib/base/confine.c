#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/place.h"

/* Needs that no command asks for: they stand for the calls that every process, or every command, may make. */
enum { EVERY = 1 << 16 /* process that is confined */, COMMAND = 1 << 17, ANSWERS = 1 << 18 /* confine_wholly() */ };

/* The system calls, by what they are needed for. Names that the machine does not have are skipped. */
static const struct {
	unsigned need;
	const char *names;
} calls[] = {
	{EVERY, "read pread64 lseek _llseek fstat fstat64 newfstatat fstatat64 fcntl fcntl64 close"},
	{EVERY, "munmap mremap brk madvise futex futex_time64 getrandom sysinfo"},
	{EVERY, "rt_sigprocmask rt_sigreturn sigreturn exit exit_group clock_gettime clock_gettime64 sched_yield"},
	{ANSWERS, "recvmsg sendmsg"},
	{COMMAND, "readv write writev pwrite64 stat stat64 lstat lstat64 statx statfs statfs64 fstatfs fstatfs64 poll ppoll ppoll_time64 "
		  "select _newselect pselect6 pselect6_time64 readlink readlinkat access faccessat faccessat2 getcwd fadvise64 "
		  "fadvise64_64 fsync ftruncate ftruncate64 dup dup2 dup3 pipe pipe2 umask ioctl flock"},
	{COMMAND, "rt_sigaction sigaltstack restart_syscall alarm"},
	{COMMAND, "clock_getres gettimeofday time times getrusage nanosleep clock_nanosleep clock_nanosleep_time64"},
	{COMMAND, "getpid gettid getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 uname prlimit64 getrlimit "
		  "sched_getaffinity rseq set_robust_list"},
	{CONFINE_RENAME, "link linkat rename renameat renameat2 unlink unlinkat fchmod"},
	{CONFINE_TEMPORARY, "open openat unlink unlinkat fallocate fchmod mkdir mkdirat rmdir"},
	{CONFINE_SOCKET, "connect sendto send sendmsg recvfrom recv recvmsg getsockopt getpeername shutdown"},
	{CONFINE_SPOOL, "open openat renameat renameat2 unlinkat mkdirat getdents64 getdents utimensat"},
	{CONFINE_NETWORK, "connect sendto send sendmsg sendmmsg recvfrom recv recvmsg recvmmsg getsockopt setsockopt getsockname getpeername "
			  "shutdown bind epoll_create1 epoll_ctl epoll_wait eventfd2 clone clone3 mmap mmap2 mprotect set_tid_address prctl getdents64"},
	{CONFINE_SPAWN, "clone clone3 vfork fork execve execveat wait4 waitid waitpid kill tgkill mmap mmap2 mprotect arch_prctl prctl "
			"set_tid_address set_thread_area membarrier memfd_create mlock"},
	{CONFINE_SPAWN, "open openat mkdir mkdirat rmdir unlink unlinkat link linkat symlink rename renameat renameat2 chdir fchdir chmod "
			"fchmod fchmodat fchown getdents64 getdents fallocate utimensat getxattr lgetxattr copy_file_range sendfile "
			"sendfile64"},
	{CONFINE_SPAWN, "getppid getpgrp getpgid setpgid getgroups getresuid getresgid setuid sched_setaffinity sched_getparam "
			"sched_getscheduler sched_get_priority_max sched_get_priority_min set_mempolicy get_mempolicy"},
};

static bool allow(scmp_filter_ctx filter, int number, unsigned count, struct scmp_arg_cmp bound)
{
	return number == __NR_SCMP_ERROR || seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, &bound) == 0;
}

static bool allow_names(scmp_filter_ctx filter, const char *names)
{
	char *copy = memory_text(names, strlen(names)), *rest = NULL;
	bool done = true;

	for (char *name = strtok_r(copy, " ", &rest); name && done; name = strtok_r(NULL, " ", &rest))
		done = allow(filter, seccomp_syscall_resolve_name(name), 0, (struct scmp_arg_cmp){0});
	free(copy);
	return done;
}

/*
 * Allows calls with bounds on their arguments, where no need calls for more: memory never becomes code (except for the libraries that find a host,
 * and programs that are started), files are opened only to read and only if they exist, sockets are of this machine, signals, such as abort() sends,
 * go to the process itself, and only its own priority may change.
 */
static bool allow_bounded(scmp_filter_ctx filter, unsigned needs)
{
	enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) };
	const scmp_datum_t self = (scmp_datum_t)getpid();
	const struct {
		bool wanted;
		int number;
		struct scmp_arg_cmp bound;
	} bounded[] = {
		{!(needs & (CONFINE_SPAWN | CONFINE_NETWORK)), SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{!(needs & (CONFINE_SPAWN | CONFINE_NETWORK)), SCMP_SYS(mmap2), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{!(needs & (CONFINE_SPAWN | CONFINE_NETWORK)), SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{needs & COMMAND && !(needs & (CONFINE_TEMPORARY | CONFINE_SPOOL | CONFINE_SPAWN)), SCMP_SYS(openat),
		 SCMP_A2(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY)},
		{needs & COMMAND && !(needs & (CONFINE_TEMPORARY | CONFINE_SPOOL | CONFINE_SPAWN)), SCMP_SYS(open),
		 SCMP_A1(SCMP_CMP_MASKED_EQ, WRITES, O_RDONLY)},
		{needs & (CONFINE_SOCKET | CONFINE_NETWORK), SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_UNIX)},
		{needs & CONFINE_NETWORK, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_INET)},
		{needs & CONFINE_NETWORK, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_INET6)},
		{needs & CONFINE_NETWORK, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_NETLINK)}, /* getaddrinfo() */
		{needs & COMMAND, SCMP_SYS(sched_getattr), SCMP_A0(SCMP_CMP_EQ, 0)}, /* priority.h */
		{needs & COMMAND, SCMP_SYS(sched_setattr), SCMP_A0(SCMP_CMP_EQ, 0)},
		{needs & COMMAND && !(needs & CONFINE_SPAWN), SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, self)},
		{needs & COMMAND && !(needs & CONFINE_SPAWN), SCMP_SYS(kill), SCMP_A0(SCMP_CMP_EQ, self)},
	};
	bool done = true;

	for (size_t i = 0; i < sizeof(bounded) / sizeof(bounded[0]) && done; i++)
		done = !bounded[i].wanted || allow(filter, bounded[i].number, 1, bounded[i].bound);
	return done;
}

/* Allows only the calls for these needs. `otherwise`: what happens at any other call. */
static bool limit_calls(unsigned needs, uint32_t otherwise)
{
	scmp_filter_ctx filter = seccomp_init(otherwise);
	bool done = filter;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && done; i++)
		done = !(calls[i].need & needs) || allow_names(filter, calls[i].names);
	done = done && allow_bounded(filter, needs);
	if (done)
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree: a read costs as little as a write */
	done = done && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return done;
}

/* A signal handler calls this: no stdio, no allocation. */
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

/* Drops the capabilities that an executed program could get again. To drop them needs a capability itself. */
static void drop_bounding_set(void)
{
	for (int number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; number++)
		;
}

static int open_folder(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the folder to write to: `path`, if it is a folder, else the folder of the file, behind links. -1: it may not be reached. */
static int open_target(const char *path)
{
	char *copy = memory_text(path, strlen(path));
	int folder = open_folder(path);
	struct place place;

	if (folder < 0) {
		bool found = place_find(&place, path) == 0;

		folder = found ? dup(place.folder) : errno == EACCES ? -1 : open_folder(dirname(copy)); /* where `path` will be made */
		place_end(&place);
	}
	free(copy);
	return folder;
}

/* Tells whether the user, without capabilities, can rename a file in the folder of `place` or, if `place` is a folder, in it. */
static bool may_write(const char *place)
{
	int folder = open_target(place);
	bool may = folder >= 0 && faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
	struct place found;

	if (folder >= 0)
		close(folder);
	if (!may) {
		may = place_find(&found, place) == 0 && !place_is_file(&found); /* a device or a pipe gets no new name */
		place_end(&found);
	}
	return may;
}

/* Tells whether a file exists but cannot be read. The message comes later, when the command opens it. */
static bool may_not_read(const char *path)
{
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 && errno == EACCES;
}

/* Tells whether the files can be read, and the scripts of pictures, which may lie in the source tree of another user. */
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
	drop_bounding_set();
	none[0].permitted = (uint32_t)all;
	none[1].permitted = (uint32_t)(all >> 32);
	if (syscall(SYS_capset, &header, none) < 0)
		return;
	set_capabilities(all & ((may_read(needs, files, count) ? 0 : reading) | (may_write_all(needs, place) ? 0 : writing)));
}

/* Landlock's rights to change a file system, and those that its later versions added. */
enum {
	CHANGES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
		  LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
		  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
	MOVES = 1 << 13, /* from one folder to another */
	TRUNCATES = 1 << 14,
	MOVES_SINCE = 2,
	TRUNCATES_SINCE = 3,
};

/* Allows changes in a folder, and closes its descriptor; -1: there is no such folder. */
static void allow_changes(int rules, uint64_t changes, int folder)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = changes, .parent_fd = folder};

	if (folder < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	close(folder);
}

/*
 * Even without capabilities, root owns most files. So a command, and what it starts, may change files only in the place that it writes to and
 * where temporary files are. A kernel without Landlock does not enforce that.
 */
static void limit_changes(unsigned needs, const char *place)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t changes = CHANGES | (version >= MOVES_SINCE ? MOVES : 0) | (version >= TRUNCATES_SINCE ? TRUNCATES : 0);
	struct landlock_ruleset_attr all = {.handled_access_fs = changes};
	int rules = version > 0 ? (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0) : -1;
	const char *folder = getenv("TMPDIR");

	if (rules < 0)
		return;
	if (needs & CONFINE_TEMPORARY)
		allow_changes(rules, changes, open_folder(folder && *folder ? folder : "/tmp"));
	if (needs & CONFINE_SPAWN)
		allow_changes(rules, changes, open_folder("/dev"));
	if (place)
		allow_changes(rules, changes, open_target(place));
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

void confine(unsigned needs, const char *place, char *const *files, int count)
{
	struct sigaction trap = {.sa_sigaction = refused, .sa_flags = (int)(SA_SIGINFO | SA_NODEFER)};

	drop_capabilities(needs, place, files, count);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return;
	limit_changes(needs, place);
	if (confine_obstacle())
		return;
	sigaction(SIGSYS, &trap, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* its leak checker stops and traces the program at its end */
	limit_calls(needs | EVERY | COMMAND, SCMP_ACT_TRAP);
#endif
}

const char *confine_obstacle(void)
{
	uint32_t action = SECCOMP_RET_TRAP;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		return NULL;
	return "this kernel cannot filter system calls, so commands are not confined";
}

/*
 * NOBODY_ELSE is above the users that systemd gives to containers, and below those that some programs take for negative. Where there is no such
 * user, as in a user namespace, the process becomes NOBODY, whose other processes can end it.
 */
enum { NOBODY_ELSE = 2147480000, NOBODY = 65534, CPU_SECONDS = 300 };

/* Leaves the file system: makes a folder the root directory in which nothing can be opened. */
static bool leave_files(void)
{
	return chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0;
}

static bool become(uid_t user)
{
	return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

static bool limit(int resource, rlim_t most)
{
	struct rlimit limit = {most, most};

	return setrlimit(resource, &limit) == 0;
}

/* `more` is added to the memory that the process has, because a sanitizer has reserved much. */
static bool limit_memory(uint64_t more)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;
	bool known = file && fscanf(file, "%llu", &pages) == 1;

	if (file)
		fclose(file);
	return known && limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
}

unsigned confine_wholly(uint64_t memory)
{
	unsigned has = 0;

	has |= limit_memory(memory) ? 0 : CONFINE_HAS_MEMORY;
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	drop_bounding_set();
	has |= leave_files() ? 0 : CONFINE_HAS_FILES;
	has |= become(NOBODY_ELSE) || become(NOBODY) ? 0 : CONFINE_HAS_USER;
	has |= set_capabilities(0) ? 0 : CONFINE_HAS_CAPABILITIES;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	has |= limit_calls(EVERY | ANSWERS, SCMP_ACT_ERRNO(EPERM)) ? 0 : CONFINE_HAS_CALLS;
	return has;
}

const char *confine_has_text(unsigned has)
{
	static const char *const words[] = {"its user", "capabilities", "the file system", "all system calls (no seccomp)", "all memory"};
	static char text[128];

	*text = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has & 1u << i)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? ", " : "", words[i]);
	return text;
}
