#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wake/wake_event.h"
#include "source/file_call.h"

/*
 * What a thread in a system call really waits for, where an event or the collector tells. The call's own event has no
 * more than the number of a file, which may be anything.
 */

/* A thread that sleeps so soon after it began to handle a fault of a mapped file, and did nothing else, sleeps for it. */
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
	int16_t kind; /* index of the text */
	UT_hash_handle hh;
};

enum { FILES_MAX = 1 << 16 }; /* told of; the waits for others have less of a name */

/* It may be told of a thread that has slept for some time. */
static void told_asleep(struct wake *wake, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(wake->by_tid, &tid, thread);
	if (thread && thread->died == TIME_NONE)
		file_sleeps(wake, wake_thread(wake, tid));
}

int wake_file_read(struct wake *wake, const struct fields *fields)
{
	struct descriptor of = {0};
	int64_t tid = 0, fd = 0;
	struct wake_file *file;
	char kind[32];

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "fd", &fd) < 0)
		return -1;
	if (!fields_text(fields, "kind", kind, sizeof(kind)))
		return fail("a file needs a kind");
	of = (struct descriptor){(int32_t)tid, (int32_t)fd};
	HASH_FIND(hh, wake->files, &of, sizeof(of), file);
	if (!file && HASH_COUNT(wake->files) >= FILES_MAX)
		return 0;
	if (!file) {
		file = NEW(struct wake_file);
		file->of = of;
		HASH_ADD(hh, wake->files, of, sizeof(of), file);
	}
	file->kind = strcmp(kind, "file") == 0 ? CALL_NONE : wake_name_text(wake->names, kind);
	told_asleep(wake, of.tid);
	return 0;
}

void wake_files_free(struct wake *wake)
{
	struct wake_file *file, *next;

	HASH_ITER(hh, wake->files, file, next) {
		HASH_DEL(wake->files, file);
		free(file);
	}
}

/* Of other calls the first argument may be anything, and raw_syscalls does not say what it is. */
void file_sleeps(struct wake *wake, struct thread *thread)
{
	struct piece *piece = thread->pieces.count ? &thread->pieces.items[thread->pieces.count - 1] : NULL;
	struct descriptor of = {thread->tid, thread->fd};
	struct wake_file *file;
	char *name;

	if (!wake->files || thread->fd == FD_NONE || !piece || piece->what != WHAT_WAIT || piece->call == CALL_NONE ||
	    piece->call != thread->call)
		return;
	HASH_FIND(hh, wake->files, &of, sizeof(of), file);
	if (!file || file->kind == CALL_NONE || !file_call_named(wake_text(wake->names, thread->call, "")))
		return;
	name = memory_format("%s %s", wake_text(wake->names, thread->call, ""), wake_text(wake->names, file->kind, ""));
	piece->call = thread->call_of_file = wake_name_text(wake->names, name);
	free(name);
}

/* Whether the thread slept since its call began. */
static bool has_slept(const struct thread *thread)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= thread->called;)
		if (thread->pieces.items[i].what == WHAT_WAIT)
			return true;
	return false;
}

/* All waits since then were for it. */
static void rename_waits(struct thread *thread, int16_t call)
{
	for (size_t i = thread->pieces.count; i-- > 0 && thread->pieces.items[i].start >= thread->called;)
		if (thread->pieces.items[i].what == WHAT_WAIT &&
		    (thread->pieces.items[i].call == thread->call || thread->pieces.items[i].call == thread->call_of_file))
			thread->pieces.items[i].call = call;
}

/* Comes when the socket's part of the call is done. What a call for any of many receives is not what it waited for. */
void on_socket(struct happening *at)
{
	enum { FAMILY, PROTOCOL };
	struct thread *thread = happening_own(at);
	char *name;

	if (!thread || thread->call == CALL_NONE || !has_slept(thread) || loop_call(at->wake, thread->call))
		return;
	name = memory_format("%s %s socket", wake_text(at->wake->names, thread->call, ""),
			     socket_name((int)happening_number(at, FAMILY), (int)happening_number(at, PROTOCOL)));
	rename_waits(thread, wake_name_text(at->wake->names, name));
	thread->call_of_file = wake_name_text(at->wake->names, name);
	free(name);
}

void on_fault(struct happening *at)
{
	struct thread *thread = happening_own(at);

	if (thread)
		thread->fault = at->wake->now;
}

void fault_sleeps(struct wake *wake, struct thread *thread)
{
	struct piece *piece = thread->pieces.count ? &thread->pieces.items[thread->pieces.count - 1] : NULL;
	int64_t since = thread->fault == TIME_NONE ? FAULT_NS + 1 : wake->now - thread->fault;
	char *name;

	thread->fault = TIME_NONE;
	if (since > FAULT_NS || !piece || piece->what != WHAT_WAIT || thread->lock != CALL_NONE)
		return;
	name = memory_format("page fault%s%s", thread->call == CALL_NONE ? "" : " in ",
			     wake_text(wake->names, thread->call, ""));
	piece->call = wake_name_text(wake->names, name);
	free(name);
}
