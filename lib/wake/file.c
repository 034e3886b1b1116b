#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "source/file_call.h"
#include "wake/name.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/syscall.h"

/*
 * The object that a thread in a system call really waits for, if an event or the collector tells it. The call's own event has only the
 * number of a descriptor, which may be anything.
 */

/* If a thread sleeps within this time after it began to handle a fault of a mapped file, and called nothing, it sleeps for the fault. */
enum { FAULT_NS = 100000 };

static const struct {
	int family, protocol; /* 0: any */
	const char *name;
} sockets[] = {
	{1, 0, "unix"},	 {2, 6, "tcp"},	   {10, 6, "tcp"},   {2, 17, "udp"},  {10, 17, "udp"},
	{2, 1, "icmp"},	 {16, 0, "netlink"}, {17, 0, "packet"}, {40, 0, "vsock"},
};

static const char *socket_name(int family, int protocol)
{
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		if (sockets[i].family == family && (!sockets[i].protocol || sockets[i].protocol == protocol))
			return sockets[i].name;
	return "other";
}

struct descriptor {
	int32_t tid, fd;
};

struct wake_file {
	struct descriptor of;
	int16_t kind; /* index of the name of its kind */
	UT_hash_handle hh;
};

enum { FILES_MAX = 1 << 16 }; /* files whose kind is kept; waits for further files name none */

struct files {
	struct wake_file *known;
};

struct faulting { /* of a thread */
	int64_t since; /* when it began to handle a fault of a mapped file, if it has called nothing since; TIME_NONE */
};

static struct files *files_of(const struct wake *wake)
{
	return wake->of[PART_FILE];
}

static struct faulting *of(const struct thread *thread)
{
	return thread->of[PART_FILE];
}

static void thread_begin(struct thread *thread)
{
	of(thread)->since = TIME_NONE;
}

static void enters(struct wake *wake, struct thread *thread)
{
	(void)wake;
	of(thread)->since = TIME_NONE;
}

/* The reason of the same call for a file of this kind. */
static int16_t call_for(struct wake *wake, int16_t call, const char *object)
{
	struct reason reason = *reason_at(wake->reasons, call);

	reason.object = object;
	return reason_index(wake->reasons, reason);
}

/* The thread sleeps in its system call, for the file if the call takes a descriptor. Of other calls the first argument may be anything. */
static void name_file(struct wake *wake, struct thread *thread)
{
	struct in_call *call = syscall_of(thread);
	struct descriptor of = {thread->tid, call->fd};
	const char *text = reason_at(wake->reasons, call->name)->syscall;
	struct wake_file *file;

	if (!files_of(wake)->known || call->fd == FD_NONE || call->name == CALL_NONE)
		return;
	HASH_FIND(hh, files_of(wake)->known, &of, sizeof(of), file);
	if (file && file->kind != CALL_NONE && file_call_named(text))
		thread_last(thread)->call = call->named = call_for(wake, call->name, name_at(wake->names, file->kind, ""));
}

static void name_fault(struct wake *wake, struct thread *thread)
{
	const struct reason *call = reason_at(wake->reasons, syscall_of(thread)->name);

	thread_last(thread)->call = reason_index(wake->reasons, (struct reason){.syscall = call->syscall, .purpose = "page"});
}

/* If a part has found that the thread sleeps for a lock, or for free memory, it does not sleep for a file. */
static void left(struct wake *wake, struct thread *thread)
{
	bool faults = of(thread)->since != TIME_NONE && wake->now - of(thread)->since <= FAULT_NS;

	of(thread)->since = TIME_NONE;
	if (!thread_asleep(thread) || thread_last(thread)->call != syscall_of(thread)->name)
		return;
	if (faults)
		name_fault(wake, thread);
	else
		name_file(wake, thread);
}

/* The record may come when the thread has already slept for some time. */
static void told_asleep(struct wake *wake, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(wake->by_tid, &tid, thread);
	if (!thread || thread->died != TIME_NONE)
		return;
	thread = core_thread(wake, tid);
	if (thread_asleep(thread) && thread_last(thread)->call == syscall_of(thread)->name)
		name_file(wake, thread);
}

static int read_file(struct wake *wake, const struct fields *fields)
{
	struct files *files = files_of(wake);
	struct descriptor of = {0};
	int64_t tid = 0, fd = 0;
	struct wake_file *file;
	char kind[32];

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "fd", &fd) < 0)
		return -1;
	if (!fields_text(fields, "kind", kind, sizeof(kind)))
		return fail("a file needs a kind");
	of = (struct descriptor){(int32_t)tid, (int32_t)fd};
	HASH_FIND(hh, files->known, &of, sizeof(of), file);
	if (!file && HASH_COUNT(files->known) >= FILES_MAX)
		return 0;
	if (!file) {
		file = NEW(struct wake_file);
		file->of = of;
		HASH_ADD(hh, files->known, of, sizeof(of), file);
	}
	file->kind = strcmp(kind, "file") == 0 ? CALL_NONE : name_text(wake->names, kind);
	told_asleep(wake, of.tid);
	return 0;
}

static void forget_meanings(struct wake *wake)
{
	struct files *files = files_of(wake);

	HASH_FREE(files->known);
}

/* Tells whether the thread has slept since its call began. */
static bool has_slept(const struct thread *thread)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= syscall_of(thread)->since;)
		if (thread->pieces.items[i].what == WHAT_WAIT)
			return true;
	return false;
}

/* All waits in the thread's call were for this. */
static void rename_waits(struct thread *thread, int16_t name)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= syscall_of(thread)->since;)
		if (syscall_waits(thread, &thread->pieces.items[i]))
			thread->pieces.items[i].call = name;
}

/* The event comes when the socket's part of the call is done. What a call for any of many events receives is not what it waited for. */
static void on_socket(struct at *at)
{
	enum { FAMILY, PROTOCOL };
	struct thread *thread = at_own(at);
	struct in_call *call = thread ? syscall_of(thread) : NULL;
	char object[32];
	int16_t named;

	if (!call || call->name == CALL_NONE || !has_slept(thread) || reason_at(at->wake->reasons, call->name)->many)
		return;
	snprintf(object, sizeof(object), "%s socket", socket_name((int)at_number(at, FAMILY), (int)at_number(at, PROTOCOL)));
	named = call_for(at->wake, call->name, object);
	rename_waits(thread, named);
	call->named = named;
}

static void on_fault(struct at *at)
{
	struct thread *thread = at_own(at);

	if (thread)
		of(thread)->since = at->wake->now;
}

static const struct part_event events[] = {
	{"sock:sock_recv_length", on_socket, {"family", "protocol"}},
	{"filemap:mm_filemap_fault", on_fault},
	{0},
};

static const struct part_record records[] = {{KIND_FILE, read_file}, {0}};

const struct part file_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct files),
	.thread = sizeof(struct faulting),
	.forget_meanings = forget_meanings,
	.free = forget_meanings,
	.thread_begin = thread_begin,
	.thread_lost = thread_begin,
	.enters = enters,
	.left = left,
};
