#include <stdlib.h>

#include "base/memory.h"
#include "graph/wake_event.h"

/*
 * What a thread in a system call really waits for, where an event tells. The call's own event has no more than the
 * number of a file, which may be anything.
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
		if (thread->pieces.items[i].what == WHAT_WAIT && thread->pieces.items[i].call == thread->call)
			thread->pieces.items[i].call = call;
}

/* Comes when the socket's part of the call is done. */
void on_socket(struct happening *at)
{
	enum { FAMILY, PROTOCOL };
	struct thread *thread = happening_own(at);
	char *name;

	if (!thread || thread->call == CALL_NONE || !has_slept(thread))
		return;
	name = memory_format("%s %s socket", wake_text(at->wake->names, thread->call, ""),
			     socket_name((int)happening_number(at, FAMILY), (int)happening_number(at, PROTOCOL)));
	rename_waits(thread, wake_name_text(at->wake->names, name));
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
