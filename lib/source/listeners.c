#include "source/listeners.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/now.h"
#include "base/number.h"
#include "source/early_state.h"
#include "source/tcp_tables.h"

/* The start of a trace waits no longer than this, however many processes there are. */
static const int64_t most_time = NSEC_PER_SEC / 10;

enum { HOLDERS_MAX = 4096, LINK_ROOM = 64, TOGETHER = 1000, PORT_ROOM = 6 };

struct holder { /* of a socket that listens */
	int32_t pid;
	uint16_t port;
	struct early_state state;
};

struct holders {
	struct tcp_tables tcp;
	ARRAY(struct holder) items;
};

/* Tells whether its only thread waits for signals or children, as nginx's first process does: it takes no connections. */
static bool is_aside(const struct early_state *state)
{
	static const long calls[] = {
		SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_wait4, SYS_waitid,
#ifdef SYS_pause
		SYS_pause,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (early_state_alone(state) && state->asleep && state->call.number == calls[i])
			return true;
	return false;
}

static void look_at(struct holders *holders, int32_t pid, DIR *folder)
{
	const struct tcp_table *table = tcp_table_of(&holders->tcp, pid);

	for (struct dirent *entry; holders->items.count <= HOLDERS_MAX && !tcp_tables_late(&holders->tcp) && (entry = readdir(folder));) {
		char link[LINK_ROOM];
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
		const struct tcp_socket *socket;
		struct holder holder = {.pid = pid};

		if (length < 0)
			continue;
		link[length] = '\0';
		socket = tcp_table_find(table, link);
		if (!socket || !socket->listens || !early_state_look(&holder.state, pid) || is_aside(&holder.state))
			continue;
		holder.port = socket->own;
		*ARRAY_ADD(&holders->items) = holder;
	}
}

/* False: we may not look at the process. */
static bool look_at_process(struct holders *holders, int32_t pid)
{
	char path[32];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT || errno == ESRCH;
	look_at(holders, pid, folder);
	closedir(folder);
	return true;
}

/* False: there was no time to look at all of them, or no right. */
static bool look_at_all(struct holders *holders)
{
	DIR *proc = opendir("/proc");
	bool all = proc;

	holders->tcp.until = now_by(CLOCK_MONOTONIC) + most_time;
	for (struct dirent *entry; all && (entry = readdir(proc));)
		if (isdigit((unsigned char)*entry->d_name))
			all = look_at_process(holders, atoi(entry->d_name)) && holders->items.count <= HOLDERS_MAX && !tcp_tables_late(&holders->tcp);
	if (proc)
		closedir(proc);
	return all;
}

static int by_process(const void *a, const void *b)
{
	const struct holder *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return one->port - other->port;
}

static int tell(struct stream *stream, const struct holder *holder, const char *ports, int64_t seen)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TRACED));
	line_integer(&line, "process", holder->pid);
	line_integer(&line, "parent", holder->state.stat.parent);
	line_text(&line, "listens", ports);
	line_time(&line, "seen", seen);
	early_state_tell(&holder->state, &line);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

/* For whom the process's first thread waits, if it sleeps. */
static int tell_wait(struct early_waits *waits, const struct holder *holder, int64_t ts)
{
	const struct early_state *state = &holder->state;

	return state->asleep && !early_state_stopped(state) ? early_waits_tell(waits, holder->pid, holder->pid, &state->call, ts) : 0;
}

static int tell_all(const struct holders *holders, struct event_writer *writer, struct stream *stream, struct early_waits *waits, int64_t ts, int64_t seen)
{
	const struct holder *items = holders->items.items;
	char ports[TOGETHER * PORT_ROOM + 1];
	size_t length = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < holders->items.count; i++) {
		bool last = i + 1 == holders->items.count || items[i + 1].pid != items[i].pid;

		if (i == 0 || items[i - 1].pid != items[i].pid || items[i - 1].port != items[i].port)
			length += (size_t)snprintf(ports + length, sizeof(ports) - length, "%s%u", length ? "," : "", items[i].port);
		if (length && (last || length > sizeof(ports) - PORT_ROOM - 1)) {
			status = event_writer_name(writer, items[i].pid, ts) < 0 || tell(stream, &items[i], ports, seen) < 0 ? -1 : 0;
			length = 0;
		}
		if (last && status == 0)
			status = tell_wait(waits, &items[i], ts);
	}
	return status;
}

int listeners_write(struct event_writer *writer, struct stream *stream, const struct trace_clock *clock, struct early_waits *waits, int64_t ts)
{
	struct holders holders = {0};
	int64_t seen = clock_now(clock);
	int status = 0;

	if (look_at_all(&holders) && holders.items.count) {
		qsort(holders.items.items, holders.items.count, sizeof(*holders.items.items), by_process);
		status = tell_all(&holders, writer, stream, waits, ts, seen);
	}
	tcp_tables_free(&holders.tcp);
	ARRAY_FREE(&holders.items);
	return status;
}
