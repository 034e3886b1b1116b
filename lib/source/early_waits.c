#include "source/early_waits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "source/early_state.h"
#include "source/tcp_tables.h"

/* No more is told of other ends this long after the first of them. */
static const int64_t most_time = NSEC_PER_SEC / 10;

enum { ENDS_MAX = 1 << 20, TOLD_MAX = 1 << 12, LINK_ROOM = 64, ANSWER_ROOM = 4096 };

enum sort { SORT_NONE, SORT_SOCKET, SORT_PIPE };

/* A socket, or the end of a pipe into which a process writes. */
struct end {
	uint64_t inode;
	int32_t process;
	enum sort sort;
};

struct early_waits {
	struct event_writer *writer;
	struct stream *stream;
	const struct trace_clock *clock;
	bool locks;
	struct tcp_tables tcp;
	bool looked; /* the ends of all processes are known, or there was no time or no right to look at them: then there are none */
	ARRAY(struct end) ends; /* by sort and inode, then process */
	ARRAY(int32_t) told; /* threads whose waits are told */
};

struct early_waits *early_waits_new(struct event_writer *writer, struct stream *stream, const struct trace_clock *clock, bool locks)
{
	struct early_waits *waits = NEW(struct early_waits);

	waits->writer = writer;
	waits->stream = stream;
	waits->clock = clock;
	waits->locks = locks;
	return waits;
}

void early_waits_free(struct early_waits *waits)
{
	if (!waits)
		return;
	tcp_tables_free(&waits->tcp);
	ARRAY_FREE(&waits->ends);
	ARRAY_FREE(&waits->told);
	free(waits);
}

/* --- who has which ends open ------------------------------------------------------------------------------------------------ */

/* "socket:[4711]", "pipe:[4711]" */
static enum sort read_link(const char *link, uint64_t *inode)
{
	unsigned long long number;

	enum sort sort = sscanf(link, "socket:[%llu]", &number) == 1 ? SORT_SOCKET : sscanf(link, "pipe:[%llu]", &number) == 1 ? SORT_PIPE : SORT_NONE;

	*inode = sort == SORT_NONE ? 0 : number;
	return sort;
}

/* The mode of a link in /proc/PID/fd is that of the open file. */
static bool writes(int folder, const char *name)
{
	struct stat stat;

	return fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && stat.st_mode & S_IWUSR;
}

static void add_ends(struct early_waits *waits, int32_t pid, DIR *folder)
{
	for (struct dirent *entry; waits->ends.count <= ENDS_MAX && !tcp_tables_late(&waits->tcp) && (entry = readdir(folder));) {
		char link[LINK_ROOM];
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
		struct end end = {.process = pid};

		if (length < 0)
			continue;
		link[length] = '\0';
		end.sort = read_link(link, &end.inode);
		if (end.sort == SORT_SOCKET || (end.sort == SORT_PIPE && writes(dirfd(folder), entry->d_name)))
			*ARRAY_ADD(&waits->ends) = end;
	}
}

/* False: we may not look at the process. */
static bool look_at_process(struct early_waits *waits, int32_t pid)
{
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT || errno == ESRCH;
	add_ends(waits, pid, folder);
	closedir(folder);
	return true;
}

static int by_inode(const void *a, const void *b)
{
	const struct end *one = a, *other = b;

	if (one->sort != other->sort)
		return one->sort < other->sort ? -1 : 1;
	if (one->inode != other->inode)
		return one->inode < other->inode ? -1 : 1;
	return (one->process > other->process) - (one->process < other->process);
}

static void look_at_all(struct early_waits *waits)
{
	DIR *proc = opendir("/proc");
	bool all = proc;

	waits->looked = true;
	for (struct dirent *entry; all && (entry = readdir(proc));)
		if (isdigit((unsigned char)*entry->d_name))
			all = look_at_process(waits, atoi(entry->d_name)) && waits->ends.count <= ENDS_MAX && !tcp_tables_late(&waits->tcp);
	if (proc)
		closedir(proc);
	if (!all)
		waits->ends.count = 0;
	if (waits->ends.count)
		qsort(waits->ends.items, waits->ends.count, sizeof(struct end), by_inode);
}

/* The process that alone has this end open; 0: none has, or several have. */
static int32_t only_process(const struct early_waits *waits, enum sort sort, uint64_t inode)
{
	size_t low = 0, high = waits->ends.count, at;
	const struct end *ends = waits->ends.items;
	int32_t process = 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (by_inode(&ends[middle], &(struct end){.sort = sort, .inode = inode, .process = 0}) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (at = low; at < waits->ends.count && ends[at].sort == sort && ends[at].inode == inode; at++) {
		if (process && process != ends[at].process)
			return 0;
		process = ends[at].process;
	}
	return process;
}

/* --- the other end ------------------------------------------------------------------------------------------------------------ */

/* The inode of the other end in the kernel's answer about a socket of this machine; 0: it has none. */
static uint64_t peer_in(const struct nlmsghdr *answer, int size)
{
	const struct unix_diag_msg *socket = NLMSG_DATA(answer);
	const struct rtattr *attribute = (const struct rtattr *)(socket + 1);
	uint32_t inode = 0;
	int left;

	if (!NLMSG_OK(answer, size) || answer->nlmsg_type != SOCK_DIAG_BY_FAMILY || NLMSG_PAYLOAD(answer, 0) < sizeof(*socket))
		return 0;
	left = (int)NLMSG_PAYLOAD(answer, sizeof(*socket));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(attribute) >= sizeof(inode))
			memcpy(&inode, RTA_DATA(attribute), sizeof(inode));
	return inode;
}

/* The inode of the other end of a socket of this machine, in our network namespace; 0: it is not known, or the kernel lacks unix_diag. */
static uint64_t unix_peer(uint64_t inode)
{
	const struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} question = {
		.head = {.nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
		.body = {.sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX, .udiag_ino = (uint32_t)inode, .udiag_show = UDIAG_SHOW_PEER,
			 .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	_Alignas(struct nlmsghdr) char answer[ANSWER_ROOM];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t size = -1;

	if (fd >= 0 && inode <= UINT32_MAX && send(fd, &question, sizeof(question), 0) == sizeof(question))
		size = recv(fd, answer, sizeof(answer), MSG_DONTWAIT); /* the kernel has answered within send() */
	if (fd >= 0)
		close(fd);
	return size > 0 ? peer_in((const struct nlmsghdr *)answer, (int)size) : 0;
}

static uint64_t other_end(struct early_waits *waits, int32_t tid, const char *link, uint64_t inode)
{
	const struct tcp_table *network;
	const struct tcp_socket *connection;

	network = tcp_table_of(&waits->tcp, tid);
	connection = tcp_table_find(network, link);
	return connection ? tcp_table_other_end(network, connection) : unix_peer(inode);
}

/* The one descriptor that the call waits for; -1: there are several, or none. */
static int32_t polled(int32_t tid, unsigned long long array, unsigned long long count)
{
	struct pollfd poll;
	struct iovec to = {&poll, sizeof(poll)}, from = {(void *)(uintptr_t)array, sizeof(poll)};

	if (count != 1 || process_vm_readv(tid, &to, 1, &from, 1, 0) != sizeof(poll) || !(poll.events & POLLIN))
		return -1;
	return poll.fd;
}

/* The descriptor from which the thread wants data; -1: its call is none that waits for data. */
static int32_t awaited(int32_t tid, const struct proc_call *call)
{
	static const long reads[] = {SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg};

	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		if (call->number == reads[i])
			return (int32_t)call->arguments[0];
#ifdef SYS_poll
	if (call->number == SYS_poll)
		return polled(tid, call->arguments[0], call->arguments[1]);
#endif
	return call->number == SYS_ppoll ? polled(tid, call->arguments[0], call->arguments[1]) : -1;
}

/* The process that alone can give the thread what it waits for; 0: it is not known. */
static int32_t peer_of(struct early_waits *waits, int32_t tid, const struct proc_call *call)
{
	int32_t fd = awaited(tid, call);
	char path[48], link[LINK_ROOM];
	uint64_t inode;
	enum sort sort;
	ssize_t length;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return 0;
	link[length] = '\0';
	if (!waits->tcp.until)
		waits->tcp.until = now_by(CLOCK_MONOTONIC) + most_time;
	sort = read_link(link, &inode);
	if (sort == SORT_SOCKET)
		inode = other_end(waits, tid, link, inode);
	if (!inode || tcp_tables_late(&waits->tcp))
		return 0;
	if (!waits->looked)
		look_at_all(waits);
	return only_process(waits, sort, inode);
}

/* --- telling ------------------------------------------------------------------------------------------------------------------ */

static int tell_peer(struct early_waits *waits, int32_t tid, int32_t peer, const struct early_state *state, int64_t ts)
{
	struct line line = {0};
	int status;

	if (event_writer_name(waits->writer, peer, ts) < 0)
		return -1;
	line_begin(&line, kind_name(KIND_TRACED));
	line_integer(&line, "waiter", tid);
	line_integer(&line, "peer", peer);
	line_time(&line, "seen", clock_now(waits->clock));
	early_state_tell(state, &line);
	status = stream_write_line(waits->stream, &line);
	line_free(&line);
	return status;
}

/* Tells whether the thread's wait is to be told: it is not told yet, and few enough are. */
static bool is_new(struct early_waits *waits, int32_t tid)
{
	for (size_t i = 0; i < waits->told.count; i++)
		if (waits->told.items[i] == tid)
			return false;
	if (waits->told.count == TOLD_MAX)
		return false;
	*ARRAY_ADD(&waits->told) = tid;
	return true;
}

int early_waits_tell(struct early_waits *waits, int32_t tid, int32_t process, const struct proc_call *call, int64_t ts)
{
	struct early_state state;

	while (is_new(waits, tid)) {
		int32_t peer;

		if (waits->locks && event_writer_within(waits->writer, tid, process, call->number, (int32_t)call->arguments[0], ts) < 0)
			return -1;
		peer = peer_of(waits, tid, call);
		if (!peer || peer == process || !early_state_look(&state, peer))
			return 0;
		if (tell_peer(waits, tid, peer, &state, ts) < 0)
			return -1;
		if (!early_state_alone(&state) || early_state_stopped(&state) || !state.asleep)
			return 0;
		tid = process = peer;
		call = &state.call;
	}
	return 0;
}
