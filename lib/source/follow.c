#include "source/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/proc.h"
#include "source/collector.h"
#include "source/connection_sides.h"
#include "source/early_waits.h"
#include "source/listeners.h"
#include "source/sockets.h"
#include "source/traced.h"

enum { EVENT_ROOM = 128 };

/* The call that a thread is in. If two looks are the same, and the thread did not run in between, it is one wait. */
struct in_call {
	int32_t tid, process;
	struct proc_call call;
	unsigned long long switches; /* how often it left a CPU */
};

struct within { /* of all threads that were in a call */
	ARRAY(struct in_call) places;
};

static unsigned long long number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Looks at the call that the thread is in. False: it is in none, or runs. */
static bool look_at(int32_t tid, struct in_call *place)
{
	char text[4096];

	memset(place, 0, sizeof(*place)); /* two are compared byte by byte */
	place->tid = tid;
	if (!proc_call(tid, &place->call) || proc_read(tid, "status", text, sizeof(text)) <= 0)
		return false;
	place->process = (int32_t)number_behind(text, "\nTgid:");
	place->switches = number_behind(text, "\nvoluntary_ctxt_switches:") + number_behind(text, "\nnonvoluntary_ctxt_switches:");
	return true;
}

/* Looks at all members. A thread that runs, or that may not be looked at, is left out. */
static struct within *within_look(const struct process *process)
{
	struct within *within = NEW(struct within);
	struct in_call place;

	for (int32_t tid = 1; process->members && tid < PROCESS_TIDS; tid++)
		if (process_has(process, tid) && look_at(tid, &place))
			*ARRAY_ADD(&within->places) = place;
	return within;
}

void within_free(struct within *within)
{
	if (within)
		free(within->places.items);
	free(within);
}

/* Writes the begin of the call, as the kernel would have written it. */
static int write_enter(const struct in_call *place, struct event_writer *writer, const struct selected *enter, int64_t ts)
{
	char payload[EVENT_ROOM] = "";
	struct ring ring = {.last = INT64_MIN, .ts = ts, .page = {.payload = payload}};
	const struct layout *layout = &enter->layout;
	const struct proc_call *call = &place->call;
	struct proc_stat stat;

	ring.page.size = layout->fd_at + sizeof(call->arguments);
	if (!layout->call_at || !layout->fd_at || ring.page.size > sizeof(payload) || layout->call_at + sizeof(call->number) > sizeof(payload))
		return 0;
	proc_stat(place->tid, &stat);
	ring.cpu = stat.cpu;
	memcpy(payload, &enter->id, sizeof(enter->id));
	memcpy(payload + sizeof(int32_t), &place->tid, sizeof(place->tid));
	memcpy(payload + layout->call_at, &call->number, sizeof(call->number));
	memcpy(payload + layout->fd_at, call->arguments, sizeof(call->arguments));
	return event_writer_event(writer, &ring);
}

/* Writes `enter`, the event raw_syscalls:sys_enter, of each thread that is still in the same call. -1 after fail(). */
static int within_tell(const struct within *within, struct event_writer *writer, struct stream *stream, const struct selected *enter,
		       struct early_waits *waits, int64_t ts)
{
	struct in_call now;

	for (size_t i = 0; i < within->places.count; i++) {
		const struct in_call *before = &within->places.items[i];

		if (!look_at(before->tid, &now) || memcmp(&now, before, sizeof(now)) != 0)
			continue;
		if (traced_write_within(stream, before->tid, ts) < 0 || write_enter(before, writer, enter, ts) < 0 ||
		    early_waits_tell(waits, before->tid, before->process, &before->call, ts) < 0)
			return -1;
	}
	return 0;
}

static bool read_program(void *context, struct program *program, int32_t pid)
{
	struct program_reader *reader = context;
	int64_t read;

	return reader && program_reader_read(reader, program, &read, pid, pid);
}

/* The event, if it is on; else NULL. */
static const struct selected *enabled(const struct selection *selection, const char *event)
{
	const struct selected *selected;

	for (size_t i = 0; (selected = selection_at(selection, i)); i++)
		if (strcmp(selected->event, event) == 0)
			return selected->enabled ? selected : NULL;
	return NULL;
}

/* The event by which a system call begins, if it is streamed; else NULL. */
static const struct selected *enter_event(const struct selection *selection)
{
	const struct selected *enter = enabled(selection, "raw_syscalls:sys_enter");

	return enter && !enter->kept ? enter : NULL;
}

/* Tells whether system calls that receive are streamed. */
static bool wants_calls(const struct selection *selection)
{
	const struct selected *selected;

	for (size_t i = 0; (selected = selection_at(selection, i)); i++)
		if (strcmp(selected->event, "syscalls:sys_enter_recvfrom") == 0)
			return true;
	return enter_event(selection);
}

static bool wants_connects(const struct selection *selection)
{
	return enabled(selection, "sock:inet_sock_set_state") != NULL;
}

/* Tells whether the events show what goes through connections, or all their changes of state, and not only which are made. */
static bool wants_sockets(const struct selection *selection)
{
	const struct selected *states = enabled(selection, "sock:inet_sock_set_state");

	return enabled(selection, "sock:sock_send_length") || enabled(selection, "sock:sock_recv_length") || (states && !states->filter);
}

/* Tells whether events of locks of files are on. */
static bool wants_locks(const struct selection *selection)
{
	const struct selected *selected;

	for (size_t i = 0; (selected = selection_at(selection, i)); i++)
		if (selected->enabled && selected->layout.lock.inode_at)
			return true;
	return false;
}

struct within *follow_look(const struct follow *follow)
{
	const struct collection *of = follow->of;
	struct process process = {0};
	struct within *within;

	if (!enter_event(follow->selection) || of->pid_count + of->name_count == 0)
		return NULL;
	process_select(&process);
	for (size_t i = 0; i < of->name_count; i++)
		process_choose(&process, of->names[i]);
	for (size_t i = 0; i < of->pid_count; i++)
		if (of->pids[i] != COLLECTOR_COMMAND)
			process_follow(&process, of->pids[i]); /* follow_begin() reports one that is gone */
	process_follow_chosen(&process, read_program, follow->reader);
	within = within_look(&process);
	process_free(&process);
	return within;
}

/* Tells of the calls in which threads are since before the trace, and who listens. */
static int tell_early(const struct follow *follow, const struct within *within, int64_t ts)
{
	struct early_waits *waits = early_waits_new(follow->writer, follow->stream, follow->clock, wants_locks(follow->selection));
	int status = 0;

	if (within)
		status = within_tell(within, follow->writer, follow->stream, enter_event(follow->selection), waits, ts);
	if (status == 0 && wants_connects(follow->selection) && !follow->foreign)
		status = listeners_write(follow->writer, follow->stream, follow->clock, waits, ts);
	early_waits_free(waits);
	return status;
}

int follow_begin(const struct follow *follow, const struct within *within, int64_t ts)
{
	const struct collection *of = follow->of;
	struct process *process = follow->process;

	for (size_t i = 0; i < of->pid_count; i++)
		if (process_follow(process, of->pids[i] == COLLECTOR_COMMAND ? follow->command : of->pids[i]) < 0)
			return -1;
	if (process_follow_chosen(process, read_program, follow->reader) == 0 && of->name_count)
		of->say("no process is called '%s' yet; those that begin are traced", of->names[0]);
	if (traced_write_all(process, follow->stream) < 0 || (follow->command && !follow->foreign && traced_write_command(follow->stream, follow->command) < 0))
		return -1;
	if (wants_sockets(follow->selection) && !follow->foreign && sockets_tell(process, follow->clock, follow->stream) < 0)
		return -1;
	if (wants_calls(follow->selection) && !follow->foreign && connection_sides_write(process, follow->stream) < 0)
		return -1;
	return tell_early(follow, within, ts);
}

bool follow_is_over(struct follow *follow)
{
	const struct collection *of = follow->of;
	int64_t now = now_by(CLOCK_MONOTONIC);

	if (of->pid_count == 0 || of->name_count || follow->command || now < follow->next_look)
		return false;
	follow->next_look = now + NSEC_PER_SEC / 5;
	follow->left = process_left(follow->process, follow->left ? follow->left : of->pids[0]);
	if (!follow->left)
		of->say(of->pid_count == 1 ? "process %d has ended" : "process %d and the others have ended", of->pids[0]);
	return !follow->left;
}
