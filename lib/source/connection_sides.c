#include "source/connection_sides.h"

#include <ctype.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "program/helper.h"
#include "source/tcp_tables.h"

enum side { SIDE_UNKNOWN, SIDE_ASKED, SIDE_ASKS, SIDES };

/* The start of a trace waits no longer than this, however many processes there are. */
static const int64_t most_time = NSEC_PER_SEC / 10;

enum { PATIENCE_MS = 250, TOGETHER = 1000, FD_ROOM = 12, LINK_ROOM = 64 };

struct looking {
	struct stream *stream;
	unsigned low, high; /* the range of ports that the kernel gives to sockets that connect */
	struct tcp_tables tcp;
};

/* --- TCP ------------------------------------------------------------------------------------------------------------------ */

static void read_given_ports(struct looking *looking)
{
	FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");

	if (!file || fscanf(file, "%u %u", &looking->low, &looking->high) != 2) {
		looking->low = 32768;
		looking->high = 60999;
	}
	if (file)
		fclose(file);
}

static bool is_given(const struct looking *looking, unsigned port)
{
	return port >= looking->low && port <= looking->high;
}

/*
 * A socket that connects gets no port at which somebody listens. It is not known who listens on other machines; but if only this end's port is
 * one that the kernel gives to sockets that connect, this end has connected.
 */
static enum side side_of_tcp(const struct looking *looking, const struct tcp_table *network, const struct tcp_socket *connection)
{
	bool other_listens = connection->here ? network->listens[connection->other] : !is_given(looking, connection->other);

	if (network->listens[connection->own])
		return connection->here && other_listens ? SIDE_UNKNOWN : SIDE_ASKED;
	return other_listens && (connection->here || is_given(looking, connection->own)) ? SIDE_ASKS : SIDE_UNKNOWN;
}

/* --- sockets of this machine ---------------------------------------------------------------------------------------------- */

static bool has_name(int fd, int (*ask)(int fd, struct sockaddr *address, socklen_t *length))
{
	struct sockaddr_un address;
	socklen_t length = sizeof(address);

	return ask(fd, (struct sockaddr *)&address, &length) == 0 && length > offsetof(struct sockaddr_un, sun_path);
}

static bool is_option(int fd, int option, int wanted)
{
	int value = 0;
	socklen_t length = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 && value == wanted;
}

static int own_name(int fd, struct sockaddr *address, socklen_t *length)
{
	return getsockname(fd, address, length);
}

static int name_of_peer(int fd, struct sockaddr *address, socklen_t *length)
{
	return getpeername(fd, address, length);
}

/* An accepted socket has the name of its listener. */
static enum side side_of_unix(int fd)
{
	bool own, other;

	if (!is_option(fd, SO_DOMAIN, AF_UNIX) || is_option(fd, SO_TYPE, SOCK_DGRAM) || is_option(fd, SO_ACCEPTCONN, 1))
		return SIDE_UNKNOWN;
	own = has_name(fd, own_name);
	other = has_name(fd, name_of_peer);
	if (own == other)
		return SIDE_UNKNOWN;
	return own ? SIDE_ASKED : SIDE_ASKS;
}

/* The kind of a socket of another process. */
struct end {
	enum side side;
	bool listens;
};

/*
 * A question is a descriptor's number, with the process. By now the descriptor may be another file, such as one of FUSE, or the last one of a
 * connection that lingers. Closing our copy may then take for ever, so the answer comes first.
 */
static bool serve(int socket)
{
	struct end end = {SIDE_UNKNOWN};
	struct iovec part = {&end, sizeof(end)};
	int fds[HELPER_FDS], wanted = -1, copy;
	bool sent;

	if (helper_receive(socket, &wanted, sizeof(wanted), fds, 0) != sizeof(wanted))
		return false;
	copy = (int)syscall(SYS_pidfd_getfd, fds[0], wanted, 0);
	if (copy >= 0)
		end = (struct end){side_of_unix(copy), is_option(copy, SO_ACCEPTCONN, 1)};
	sent = helper_send(socket, &part, 1, NULL, 0);
	if (copy >= 0)
		close(copy);
	close(fds[0]);
	return sent;
}

static struct helper ends = {.name = "tailblame-ends", .serve = serve, .patience = PATIENCE_MS, .socket = -1};

/* Asks the helper what the descriptor is; unknown if it does not answer. */
static struct end look_at_end(int32_t pid, int pidfd, int fd)
{
	const struct end unknown = {SIDE_UNKNOWN};
	struct iovec part = {&fd, sizeof(fd)};
	char subject[32];
	int fds[HELPER_FDS];
	struct end end;

	snprintf(subject, sizeof(subject), "process %d", pid);
	for (int tries = 0; tries < 2; tries++) { /* a new helper takes the place of one that still closes a file */
		if (helper_is_silent(&ends, subject) || !helper_start(&ends) || !helper_send(ends.socket, &part, 1, &pidfd, 1))
			return unknown;
		if (helper_await(&ends, subject) == 1)
			return helper_receive(ends.socket, &end, sizeof(end), fds, MSG_DONTWAIT) == sizeof(end) ? end : unknown;
	}
	return unknown;
}

/* --- a process -------------------------------------------------------------------------------------------------------------- */

struct list {
	char text[TOGETHER * FD_ROOM + 1];
	size_t length;
};

static int tell(struct looking *looking, int32_t pid, enum side side, struct list *list)
{
	static const char *const keys[SIDES] = {[SIDE_ASKED] = "asked", [SIDE_ASKS] = "asks"};
	struct line line = {0};
	int status;

	if (list->length == 0)
		return 0;
	line_begin(&line, kind_name(KIND_TRACED));
	line_integer(&line, "process", pid);
	line_text(&line, keys[side], list->text);
	status = stream_write_line(looking->stream, &line);
	line_free(&line);
	list->length = 0;
	return status;
}

/* The side of descriptor `fd`, whose link in /proc is `link`. */
static enum side side_of(const struct looking *looking, const struct tcp_table *network, int32_t pid, int pidfd, int fd, const char *link)
{
	const struct tcp_socket *found = tcp_table_find(network, link);

	if (strncmp(link, "socket:", strlen("socket:")) != 0 || (found && found->listens))
		return SIDE_UNKNOWN;
	return found ? side_of_tcp(looking, network, found) : look_at_end(pid, pidfd, fd).side;
}

/* Reads an entry of /proc/PID/fd: its number and its link. */
static bool read_entry(DIR *folder, const char *name, char link[LINK_ROOM], int *fd)
{
	ssize_t length = readlinkat(dirfd(folder), name, link, LINK_ROOM - 1);
	uint64_t number;

	if (length < 0 || number_count(name, strlen(name), &number) < 0 || number > INT32_MAX)
		return false;
	link[length] = '\0';
	*fd = (int)number;
	return true;
}

static int look_at(struct looking *looking, int32_t pid, int pidfd, DIR *folder)
{
	const struct tcp_table *network = tcp_table_of(&looking->tcp, pid);
	int status = 0;
	struct list *lists = memory_new(SIDES, sizeof(*lists));

	for (struct dirent *entry; status == 0 && !tcp_tables_late(&looking->tcp) && (entry = readdir(folder));) {
		char link[LINK_ROOM];
		enum side side;
		struct list *list;
		int fd;

		if (!read_entry(folder, entry->d_name, link, &fd))
			continue;
		side = side_of(looking, network, pid, pidfd, fd, link);
		if (side == SIDE_UNKNOWN)
			continue;
		list = &lists[side];
		list->length += (size_t)snprintf(list->text + list->length, sizeof(list->text) - list->length, "%s%d",
						 list->length ? "," : "", fd);
		if (list->length > sizeof(list->text) - FD_ROOM)
			status = tell(looking, pid, side, list);
	}
	for (int side = SIDE_ASKED; status == 0 && side < SIDES; side++)
		status = tell(looking, pid, side, &lists[side]);
	free(lists);
	return status;
}

/* Leaves out a thread that is not its process's first, because it has no pidfd. */
static int look_at_process(struct looking *looking, int32_t tid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, tid, 0), status = 0;
	char path[32];
	DIR *folder;

	if (pidfd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", tid);
	folder = opendir(path);
	if (folder) {
		status = look_at(looking, tid, pidfd, folder);
		closedir(folder);
	}
	close(pidfd);
	return status;
}

static int look_at_members(struct looking *looking, const struct process *process)
{
	int status = 0;

	for (int32_t tid = 1; status == 0 && tid < PROCESS_TIDS; tid++)
		if (process_has(process, tid))
			status = look_at_process(looking, tid);
	return status;
}

static int look_at_all(struct looking *looking)
{
	DIR *proc = opendir("/proc");
	int status = 0;

	looking->tcp.until = now_by(CLOCK_MONOTONIC) + most_time;
	for (struct dirent *entry; proc && status == 0 && !tcp_tables_late(&looking->tcp) && (entry = readdir(proc));)
		if (isdigit((unsigned char)*entry->d_name))
			status = look_at_process(looking, atoi(entry->d_name));
	if (proc)
		closedir(proc);
	return status;
}

int connection_sides_write(const struct process *process, struct stream *stream)
{
	struct looking looking = {.stream = stream, .tcp.until = INT64_MAX};
	int status;

	read_given_ports(&looking);
	status = process->members ? look_at_members(&looking, process) : look_at_all(&looking);
	helper_end(&ends);
	tcp_tables_free(&looking.tcp);
	return status;
}

/* Tells whether the descriptor is of a connection that was accepted, or of a socket that accepts them. */
static bool is_served(const struct looking *looking, const struct tcp_table *network, int32_t pid, int pidfd, int fd, const char *link)
{
	return strncmp(link, "socket:", strlen("socket:")) == 0 &&
	       (side_of(looking, network, pid, pidfd, fd, link) == SIDE_ASKED || look_at_end(pid, pidfd, fd).listens);
}

bool serves_connections(int32_t pid)
{
	struct looking looking = {.tcp.until = INT64_MAX};
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	const struct tcp_table *network = tcp_table_of(&looking.tcp, pid);
	char path[32];
	bool serves = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = pidfd >= 0 ? opendir(path) : NULL;
	for (struct dirent *entry; folder && !serves && (entry = readdir(folder));) {
		char link[LINK_ROOM];
		int fd;

		serves = read_entry(folder, entry->d_name, link, &fd) && is_served(&looking, network, pid, pidfd, fd, link);
	}
	if (folder)
		closedir(folder);
	if (pidfd >= 0)
		close(pidfd);
	helper_end(&ends);
	tcp_tables_free(&looking.tcp);
	return serves;
}
