#include "wake/wake.h"

#include <stdlib.h>
#include <string.h>

/* Work that waits for a kernel thread to do it, by its address. */
struct queued_work {
	uint64_t address;
	struct work work;
	struct queued_work *spare; /* next in the list of those not in use */
	UT_hash_handle hh;
};

static struct queued_work *find_queued(const struct wake *wake, uint64_t address)
{
	struct queued_work *queued;

	HASH_FIND(hh, wake->queued, &address, sizeof(address), queued);
	return queued;
}

static struct queued_work *add_queued(struct wake *wake, uint64_t address)
{
	struct queued_work *queued = wake->spare_work;

	if (queued)
		wake->spare_work = queued->spare;
	else
		queued = NEW(struct queued_work);
	queued->address = address;
	HASH_ADD(hh, wake->queued, address, sizeof(address), queued);
	return queued;
}

/* Whose the work is that a thread queues; what it does for nobody it does for itself. */
static int32_t owner_of(const struct wake *wake, int32_t by)
{
	int32_t asked = by == INDEX_NONE ? INDEX_NONE : wake->threads.items[by]->work;
	int32_t owner = asked == INDEX_NONE ? INDEX_NONE : wake->works.items[asked].owner;

	return owner == INDEX_NONE ? by : owner;
}

/* Where the queue has no name, its works have that of their function. */
static bool is_throttle(const char *queue)
{
	return strcmp(queue, "kthrotld") == 0 || strcmp(queue, "blk_throtl_dispatch_work_fn") == 0;
}

void work_queue(struct wake *wake, uint64_t address, const struct work *work, const char *queue)
{
	struct queued_work *queued = find_queued(wake, address);

	if (!queued)
		queued = add_queued(wake, address);
	queued->work = *work;
	queued->work.owner = owner_of(wake, work->by.thread);
	queued->work.queue = wake_name_text(wake->names, queue);
	queued->work.serves = backed_by(wake, queue);
	backed_queue(wake, address, &queued->work);
	queued->work.throttled = is_throttle(queue);
}

void work_start(struct wake *wake, struct thread *thread, uint64_t address, uint32_t cpu)
{
	struct queued_work *queued = find_queued(wake, address);

	thread->work = INDEX_NONE;
	if (queued) {
		thread->work = (int32_t)wake->works.count;
		queued->work.started = wake->now;
		*ARRAY_ADD(&wake->works) = queued->work;
		backed_start(wake, thread->work);
		HASH_DEL(wake->queued, queued);
		queued->spare = wake->spare_work;
		wake->spare_work = queued;
	}
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}

void work_end(struct wake *wake, struct thread *thread, uint32_t cpu)
{
	if (thread->work == INDEX_NONE)
		return;
	backed_end(wake, thread->work);
	thread->work = INDEX_NONE;
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}

bool work_is_queued(const struct wake *wake, uint64_t address)
{
	return find_queued(wake, address);
}

void work_lost(struct wake *wake)
{
	struct queued_work *queued, *next;

	HASH_ITER(hh, wake->queued, queued, next)
	{
		HASH_DEL(wake->queued, queued);
		free(queued);
	}
}

void work_forget(struct wake *wake)
{
	struct queued_work *queued;

	work_lost(wake);
	while ((queued = wake->spare_work)) {
		wake->spare_work = queued->spare;
		free(queued);
	}
	free(wake->works.items);
}
