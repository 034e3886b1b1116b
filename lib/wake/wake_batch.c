#include "wake/wake.h"

#include <stdlib.h>
#include <string.h>

/* A process has woken another one: it asked it for something, or answered. */
struct acquaintance {
	struct {
		int32_t waker, woken;
	} processes;
	UT_hash_handle hh;
};

static struct acquaintance *find_acquaintance(const struct wake *wake, int32_t waker, int32_t woken)
{
	struct acquaintance key = {.processes = {waker, woken}}, *found;

	HASH_FIND(hh, wake->acquaintances, &key.processes, sizeof(key.processes), found);
	return found;
}

static void add_acquaintance(struct wake *wake, int32_t waker, int32_t woken)
{
	struct acquaintance *added;

	if (find_acquaintance(wake, waker, woken))
		return;
	added = NEW(struct acquaintance);
	added->processes.waker = waker;
	added->processes.woken = woken;
	HASH_ADD(hh, wake->acquaintances, processes, sizeof(added->processes), added);
}

void batch_forget(struct wake *wake)
{
	struct acquaintance *known, *next;

	HASH_ITER(hh, wake->acquaintances, known, next)
	{
		HASH_DEL(wake->acquaintances, known);
		free(known);
	}
}

static void mark(struct thread *thread, size_t from, int32_t peer)
{
	for (size_t i = from; i < thread->pieces.count; i++) {
		struct piece *piece = &thread->pieces.items[i];

		if (piece->what != WHAT_RUN)
			continue;
		if (peer != INDEX_NONE && piece->cause != CAUSE_WORK) {
			piece->cause = CAUSE_PEER;
			piece->cause_index = peer;
		}
		piece->flags |= thread->batch.several ? PIECE_BATCH : 0;
	}
}

/* Number of the first piece since the thread last slept. */
static size_t segment_start(const struct thread *thread)
{
	size_t at = thread->pieces.count;

	while (at > 0 && thread->pieces.items[at - 1].what != WHAT_WAIT)
		at--;
	return at;
}

/*
 * Only who has asked is served: who was never seen to wake the thread's process is told something, as a logger is. The
 * kernel's threads have a slash in their names, and ask for nothing.
 */
static bool is_served(struct wake *wake, int32_t own, int32_t process, const struct thread *peer)
{
	return own && process && own != process && find_acquaintance(wake, process, own) &&
	       !strchr(wake_comm(wake, peer), '/');
}

void batch_serve(struct wake *wake, struct thread *thread, const struct thread *peer)
{
	struct batch *batch = &thread->batch;
	int32_t own = events_tgid(wake->events, thread->tid), process = events_tgid(wake->events, peer->tid);

	add_acquaintance(wake, own, process);
	if (!is_served(wake, own, process, peer))
		return;
	if (batch->process && batch->process != process) {
		thread_split(thread, batch->until);
		if (!batch->several) {
			batch->several = true;
			mark(thread, segment_start(thread), INDEX_NONE);
		}
	}
	mark(thread, batch->process ? thread_find(thread, batch->until) - 1 : segment_start(thread), peer->index);
	batch->process = process;
	batch->until = wake->now;
}
