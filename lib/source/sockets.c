#include "source/sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"

/* States as the kernel numbers them. STATES are those of a connection whose bytes count: it is not being made, and does not listen. */
enum { ESTABLISHED = 1, FIN_WAIT1 = 4, FIN_WAIT2 = 5, CLOSE_WAIT = 8, LAST_ACK = 9, LISTEN = 10, CLOSING = 11 };
#define STATES (1u << ESTABLISHED | 1u << FIN_WAIT1 | 1u << FIN_WAIT2 | 1u << CLOSE_WAIT | 1u << LAST_ACK | 1u << CLOSING)

enum { ANSWER_ROOM = 1 << 16, ADDRESS_ROOM = INET6_ADDRSTRLEN + 16 };

/* The process with the lowest number that has the socket. */
struct owner {
	uint64_t inode;
	int32_t pid;
	int fd;
	UT_hash_handle hh;
};

struct network {
	dev_t device;
	ino_t inode;
	int32_t pid; /* a process in it */
};

/* Where somebody listens in the network namespace at hand; all zero: at each address. */
struct listener {
	struct in6_addr address; /* an IPv4 address as IPv6 spells it */
	uint16_t port;
};

struct looking {
	const struct process *process;
	const struct trace_clock *clock;
	struct stream *stream;
	struct owner *owners;
	ARRAY(struct network) networks;
	ARRAY(struct listener) listeners;
	struct line line;
};

/* --- who has them ------------------------------------------------------------------------------------------------------ */

static void take_owner(struct looking *looking, uint64_t inode, int32_t pid, int fd)
{
	struct owner *owner;

	HASH_FIND(hh, looking->owners, &inode, sizeof(inode), owner);
	if (owner && owner->pid <= pid)
		return;
	if (!owner) {
		owner = NEW(struct owner);
		owner->inode = inode;
		HASH_ADD(hh, looking->owners, inode, sizeof(owner->inode), owner);
	}
	owner->pid = pid;
	owner->fd = fd;
}

static void take_descriptors(struct looking *looking, int32_t pid)
{
	const struct dirent *entry;
	char path[32], link[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
		unsigned long long inode;
		uint64_t fd;

		if (length < 0 || number_count(entry->d_name, strlen(entry->d_name), &fd) < 0 || fd > INT32_MAX)
			continue;
		link[length] = '\0';
		if (sscanf(link, "socket:[%llu]", &inode) == 1)
			take_owner(looking, inode, pid, (int)fd);
	}
	if (folder)
		closedir(folder);
}

static void take_network(struct looking *looking, int32_t pid)
{
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (stat(path, &status) < 0)
		return;
	for (size_t i = 0; i < looking->networks.count; i++)
		if (looking->networks.items[i].device == status.st_dev && looking->networks.items[i].inode == status.st_ino)
			return;
	*ARRAY_ADD(&looking->networks) = (struct network){status.st_dev, status.st_ino, pid};
}

static int take_processes(struct looking *looking)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;

	if (!folder)
		return fail_errno("cannot read '/proc'");
	while ((entry = readdir(folder))) {
		int32_t pid = atoi(entry->d_name);

		if (pid <= 0 || !process_has(looking->process, pid))
			continue;
		take_network(looking, pid);
		take_descriptors(looking, pid);
	}
	closedir(folder);
	return 0;
}

/* --- what they are ----------------------------------------------------------------------------------------------------- */

/* An IPv4 address within IPv6 is spelled as IPv4, because the other end may be an IPv4 socket. */
static void spell(const struct inet_diag_msg *socket, const __be32 address[4], __be16 port, char text[ADDRESS_ROOM])
{
	struct in6_addr wide;
	char name[INET6_ADDRSTRLEN];
	bool four = socket->idiag_family == AF_INET;

	memcpy(&wide, address, sizeof(wide));
	if (!four && IN6_IS_ADDR_V4MAPPED(&wide)) {
		address += 3;
		four = true;
	}
	inet_ntop(four ? AF_INET : AF_INET6, address, name, sizeof(name));
	snprintf(text, ADDRESS_ROOM, four ? "%s:%u" : "[%s]:%u", name, ntohs(port));
}

/* Takes the connection's counts from the answer. False: the kernel does not tell them. */
static bool read_info(const struct nlmsghdr *message, struct tcp_info *info)
{
	const struct inet_diag_msg *socket = NLMSG_DATA(message);
	int length = (int)NLMSG_PAYLOAD(message, sizeof(*socket));

	for (const struct rtattr *at = (const struct rtattr *)(socket + 1); RTA_OK(at, length); at = RTA_NEXT(at, length))
		if (at->rta_type == INET_DIAG_INFO && RTA_PAYLOAD(at) >= offsetof(struct tcp_info, tcpi_bytes_retrans) + sizeof(info->tcpi_bytes_retrans)) {
			size_t size = RTA_PAYLOAD(at) < sizeof(*info) ? RTA_PAYLOAD(at) : sizeof(*info);

			*info = (struct tcp_info){0};
			memcpy(info, RTA_DATA(at), size);
			return true;
		}
	return false;
}

/* The socket's own address, an IPv4 address as IPv6 spells it; all zero if the socket has none. */
static struct listener own_address(const struct inet_diag_msg *socket)
{
	struct listener own = {.port = ntohs(socket->id.idiag_sport)};

	if (socket->idiag_family == AF_INET6) {
		memcpy(&own.address, socket->id.idiag_src, sizeof(own.address));
	} else if (socket->id.idiag_src[0]) {
		own.address.s6_addr[10] = own.address.s6_addr[11] = 0xff;
		memcpy(own.address.s6_addr + 12, socket->id.idiag_src, sizeof(socket->id.idiag_src[0]));
	}
	return own;
}

/* Tells whether somebody listens at the connection's own address: then this end is the server's. */
static bool is_server(const struct looking *looking, const struct inet_diag_msg *socket)
{
	struct listener own = own_address(socket);

	for (size_t i = 0; i < looking->listeners.count; i++) {
		const struct listener *listener = &looking->listeners.items[i];

		if (listener->port == own.port &&
		    (IN6_IS_ADDR_UNSPECIFIED(&listener->address) || IN6_ARE_ADDR_EQUAL(&listener->address, &own.address)))
			return true;
	}
	return false;
}

static int write_socket(struct looking *looking, const struct nlmsghdr *message, int64_t from, int64_t ts)
{
	const struct inet_diag_msg *socket = NLMSG_DATA(message);
	char local[ADDRESS_ROOM], peer[ADDRESS_ROOM];
	uint64_t inode = socket->idiag_inode;
	const struct owner *owner;
	struct line *line = &looking->line;
	struct tcp_info info;

	HASH_FIND(hh, looking->owners, &inode, sizeof(inode), owner);
	if (inode == 0 || (!owner && looking->process->members)) /* 0: its process has closed it */
		return 0;
	spell(socket, socket->id.idiag_src, socket->id.idiag_sport, local);
	spell(socket, socket->id.idiag_dst, socket->id.idiag_dport, peer);
	line_begin(line, kind_name(KIND_SOCKET));
	line_time(line, "ts", ts);
	line_time(line, "from", from);
	line_unsigned(line, "inode", inode);
	line_unsigned(line, "cookie", socket->id.idiag_cookie[0] | (uint64_t)socket->id.idiag_cookie[1] << 32);
	line_text(line, "local", local);
	line_text(line, "peer", peer);
	if (is_server(looking, socket))
		line_text(line, "side", "server");
	if (read_info(message, &info)) {
		line_unsigned(line, "bytes_in", info.tcpi_bytes_received - socket->idiag_rqueue);
		line_unsigned(line, "bytes_out", info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes);
	}
	if (owner) {
		line_integer(line, "tid", owner->pid);
		line_integer(line, "fd", owner->fd);
	}
	return stream_write_line(looking->stream, line);
}

static int ask(int fd, uint8_t family, uint32_t states)
{
	const struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} question = {
		.head = {.nlmsg_len = sizeof(question), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_ext = 1 << (INET_DIAG_INFO - 1), .idiag_states = states},
	};

	return send(fd, &question, sizeof(question), 0) == sizeof(question) ? 0 : -1;
}

/* 1: there is more to come; 0: that was the last; -1 after fail(). */
static int take_answer(struct looking *looking, char *bytes, ssize_t size, int64_t from, int64_t ts)
{
	int left = (int)size;

	for (const struct nlmsghdr *at = (const struct nlmsghdr *)bytes; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
		if (at->nlmsg_type == NLMSG_DONE || at->nlmsg_type == NLMSG_ERROR) /* a kernel without inet_diag says so */
			return 0;
		if (at->nlmsg_type != SOCK_DIAG_BY_FAMILY || NLMSG_PAYLOAD(at, 0) < sizeof(struct inet_diag_msg))
			continue;
		if (((const struct inet_diag_msg *)NLMSG_DATA(at))->idiag_state == LISTEN)
			*ARRAY_ADD(&looking->listeners) = own_address(NLMSG_DATA(at));
		else if (write_socket(looking, at, from, ts) < 0)
			return -1;
	}
	return 1;
}

/* The kernel looks at the sockets of an answer while the one before is being received, or when it is asked: at a time from `from` to `ts`. */
static int take_family(struct looking *looking, int fd, char *bytes, uint8_t family, uint32_t states)
{
	int64_t before = clock_now(looking->clock), from = before;
	int status = ask(fd, family, states) < 0 ? 0 : 1;

	while (status > 0) {
		int64_t begun = clock_now(looking->clock), ts;
		ssize_t size = recv(fd, bytes, ANSWER_ROOM, 0);

		ts = clock_now(looking->clock);
		if (begun == INT64_MIN || ts == INT64_MIN)
			return -1;
		status = size > 0 ? take_answer(looking, bytes, size, from, ts) : 0;
		from = begun;
	}
	return status;
}

/*
 * Opens a netlink socket in the network namespace of a process; -1: that is not possible. The thread always returns to its own namespace; -2
 * after fail(): it cannot.
 */
static int open_in(int home, int32_t pid)
{
	char path[32];
	int network, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	network = open(path, O_RDONLY | O_CLOEXEC);
	if (network < 0)
		return -1;
	if (setns(network, CLONE_NEWNET) == 0) {
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
		if (setns(home, CLONE_NEWNET) < 0) {
			close(network);
			if (fd >= 0)
				close(fd);
			fail_errno("cannot return to the own network namespace");
			return -2;
		}
	}
	close(network);
	return fd;
}

static int take_sockets(struct looking *looking, int home, const struct network *network, char *bytes)
{
	static const struct {
		uint8_t family;
		uint32_t states;
	} questions[] = {{AF_INET, 1u << LISTEN}, {AF_INET6, 1u << LISTEN}, {AF_INET, STATES}, {AF_INET6, STATES}};
	struct stat own;
	int fd, status = 0;

	if (fstat(home, &own) == 0 && own.st_dev == network->device && own.st_ino == network->inode)
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	else
		fd = open_in(home, network->pid);
	if (fd < 0)
		return fd == -2 ? -1 : 0;
	looking->listeners.count = 0;
	for (size_t i = 0; status == 0 && i < sizeof(questions) / sizeof(*questions); i++)
		status = take_family(looking, fd, bytes, questions[i].family, questions[i].states);
	close(fd);
	return status;
}

static void forget(struct looking *looking)
{
	HASH_FREE(looking->owners);
	free(looking->networks.items);
	free(looking->listeners.items);
	line_free(&looking->line);
}

int sockets_tell(const struct process *process, const struct trace_clock *clock, struct stream *stream)
{
	struct looking looking = {.process = process, .clock = clock, .stream = stream};
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), status = home < 0 ? 0 : take_processes(&looking);
	char *bytes = memory_new(ANSWER_ROOM, 1);

	for (size_t i = 0; home >= 0 && status == 0 && i < looking.networks.count; i++)
		status = take_sockets(&looking, home, &looking.networks.items[i], bytes);
	if (home >= 0)
		close(home);
	free(bytes);
	forget(&looking);
	return status;
}
