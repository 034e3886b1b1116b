#include "wake/work.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "wake/earlier_names.h"
#include "wake/request.h"
#include "wake/context.h"
#include "wake/loop_device.h"
#include "wake/part.h"
#include "wake/name.h"
#include "wake/walk.h"

/* A work that waits for a kernel thread to do it, by its address. */
struct queued_work {
	uint64_t address;
	struct work work;
	struct queued_work *spare; /* next in the list of unused ones */
	UT_hash_handle hh;
};

struct works {
	ARRAY(struct work) begun; /* works that a known thread has begun */
	struct queued_work *queued, *spare; /* by address */
};

static struct works *of(const struct wake *wake)
{
	return wake->of[PART_WORK];
}

struct work *work_at(const struct wake *wake, int32_t index)
{
	return &of(wake)->begun.items[index];
}

int32_t work_of(const struct thread *thread)
{
	return thread->for_cause == CAUSE_WORK ? thread->for_index : INDEX_NONE;
}

static void does(struct thread *thread, int32_t index)
{
	thread->for_cause = index == INDEX_NONE ? CAUSE_NONE : CAUSE_WORK;
	thread->for_index = index;
}

static struct queued_work *find_queued(const struct wake *wake, uint64_t address)
{
	struct queued_work *queued;

	HASH_FIND(hh, of(wake)->queued, &address, sizeof(address), queued);
	return queued;
}

static struct queued_work *add_queued(struct wake *wake, uint64_t address)
{
	struct queued_work *queued = of(wake)->spare;

	if (queued)
		of(wake)->spare = queued->spare;
	else
		queued = NEW(struct queued_work);
	queued->address = address;
	HASH_ADD(hh, of(wake)->queued, address, sizeof(address), queued);
	return queued;
}

/* The thread that owns a work: the one that the queueing thread works for, else the queueing thread itself. */
static int32_t owner_of(const struct wake *wake, int32_t by)
{
	int32_t asked = by == INDEX_NONE ? INDEX_NONE : work_of(wake->threads.items[by]);
	int32_t owner = asked == INDEX_NONE ? INDEX_NONE : of(wake)->begun.items[asked].owner;

	return owner == INDEX_NONE ? by : owner;
}

/* If a queue has no name, its works are named after their function. */
static bool is_throttle(const char *queue)
{
	return strcmp(queue, "kthrotld") == 0 || strcmp(queue, "blk_throtl_dispatch_work_fn") == 0;
}

static void queue_work(struct wake *wake, uint64_t address, const struct work *work, const char *queue)
{
	struct queued_work *queued = find_queued(wake, address);

	if (!queued)
		queued = add_queued(wake, address);
	queued->work = *work;
	queued->work.owner = owner_of(wake, work->by.thread);
	queued->work.queue = name_text(wake->names, queue);
	queued->work.serves = loop_device_of(wake, queue);
	loop_device_queue(wake, address, &queued->work);
	queued->work.throttled = is_throttle(queue);
}

static void start(struct wake *wake, struct thread *thread, uint64_t address, uint32_t cpu)
{
	struct queued_work *queued = find_queued(wake, address);

	does(thread, INDEX_NONE);
	thread->works = true;
	if (queued) {
		does(thread, (int32_t)of(wake)->begun.count);
		queued->work.started = wake->now;
		*ARRAY_ADD(&of(wake)->begun) = queued->work;
		loop_device_start(wake, thread->for_index);
		HASH_DEL(of(wake)->queued, queued);
		queued->spare = of(wake)->spare;
		of(wake)->spare = queued;
	}
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}

static void end(struct wake *wake, struct thread *thread, uint32_t cpu)
{
	if (work_of(thread) == INDEX_NONE)
		return;
	loop_device_end(wake, work_of(thread));
	does(thread, INDEX_NONE);
	thread_piece(thread, WHAT_RUN, wake->now, cpu);
}

bool work_is_queued(const struct wake *wake, uint64_t address)
{
	return find_queued(wake, address);
}

static void forget_queued(struct wake *wake)
{
	HASH_FREE(of(wake)->queued);
}

/* It is not known any more which works are queued. */
static void lost(struct wake *wake, int64_t from)
{
	(void)from;
	forget_queued(wake);
}

static void forget(struct wake *wake)
{
	struct queued_work *queued;

	forget_queued(wake);
	while ((queued = of(wake)->spare)) {
		of(wake)->spare = queued->spare;
		free(queued);
	}
	ARRAY_FREE(&of(wake)->begun);
}

static bool serves(const struct wake *wake, const struct thread *thread, int32_t *whom)
{
	const struct work *work = work_of(thread) == INDEX_NONE ? NULL : work_at(wake, work_of(thread));

	if (!work || (work->owner == INDEX_NONE && !work->throttled))
		return false;
	*whom = work->owner;
	return true;
}

/* Requests that a limit held back wait for no thread, but for the time when the limit lets them go. */
static int32_t throttled_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker)
{
	const struct thread *thread = asker == INDEX_NONE ? NULL : cut->wake->threads.items[asker];
	struct deed deed = deed_of(DEED_THROTTLE_IO);
	int32_t index;

	deed.whom = thread ? wake_comm(cut->wake, thread) : NULL;
	index = new_node(cut, WHAT_TIMER, start, work->by.ts, 0, &deed);
	cut->graph->nodes.items[index].whom_tid = thread ? thread->tid : 0;
	return index;
}

/* An interrupt, or an unknown cause, queued a work without an owner: makes its node, which explains the asker's wait since `start`. */
static int32_t cause_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker)
{
	const struct wake *wake = cut->wake;
	enum node_what what = WHAT_UNKNOWN;
	struct deed deed = deed_of(DEED_UNKNOWN_WORK);

	if (work->throttled)
		return throttled_node(cut, work, start, asker);
	deed.queue = name_at(wake->names, work->queue, "?");
	if (work->cause == CAUSE_TIMER || work->cause == CAUSE_SENT) {
		deed.kind = DEED_TIMER_WORK;
		what = WHAT_TIMER;
	} else if (context_tell_interrupt(wake, work->cause, work->cause_index, &deed)) {
		deed.kind = DEED_QUEUE_WORK;
		what = deed.softirq ? WHAT_SOFTIRQ : WHAT_IRQ;
	}
	return new_node(cut, what, start, work->by.ts, 0, &deed);
}

/*
 * A work begins because a thread queued it: what the thread that does the work did before that has nothing to do with
 * the work.
 */
static int64_t began(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *piece = &thread->pieces.items[at];
	const struct work *work = work_at(walk->cut.wake, piece->cause_index);

	if (piece->start != work->started || work->by.ts <= errand.floor)
		return errand.floor;
	if (!walk_visit(walk, node, errand.floor))
		return work->by.ts;
	if (work->by.thread == INDEX_NONE && work->cause != CAUSE_REQUEST) {
		walk_link(walk, cause_node(&walk->cut, work, errand.floor, errand.asker), node, EDGE_ASYNC,
			  work->by.ts);
		return work->by.ts;
	}
	walk_later(walk, (struct errand){.part = work->by.thread == INDEX_NONE ? PART_BLOCK : PART_SCHED,
					 .index = work->by.thread == INDEX_NONE ? work->cause_index : work->by.thread,
					 .at = work->by.ts,
					 .floor = errand.floor,
					 .after = node,
					 .edge = EDGE_ASYNC,
					 .ts = work->by.ts,
					 .asker = INDEX_NONE});
	return work->by.ts;
}

static bool is_address(const char *text)
{
	size_t length;

	text += strncmp(text, "0x", 2) == 0 ? 2 : 0;
	for (length = 0; isxdigit((unsigned char)text[length]); length++)
		;
	return length >= 8 && text[length] == '\0';
}

/* Before Linux 5.12 the event has only the address of the queue; some texts name the function that does the work. */
static void name_queue(const struct at *at, char *name, size_t room)
{
	enum { WORK, QUEUE, FUNCTION };

	at_text(at, QUEUE, name, room);
	if (!is_address(name))
		return;
	at_text(at, FUNCTION, name, room);
	if (!*name || is_address(name))
		snprintf(name, room, "?");
}

static void on_queue_work(struct at *at)
{
	enum { WORK };
	int flags = at_flags(at);
	struct work work = {.by = context_doer(at->wake, at->cpu, flags)};
	char queue[64];

	if (work.by.thread == INDEX_NONE)
		work.cause = context_cause(at->wake, at->cpu, at->event->tid, flags, &work.cause_index);
	name_queue(at, queue, sizeof(queue));
	queue_work(at->wake, (uint64_t)at_number(at, WORK), &work, queue);
}

static void on_work_start(struct at *at)
{
	enum { WORK };
	struct thread *thread = at_own(at); /* some works are done in soft interrupts */

	if (thread)
		start(at->wake, thread, (uint64_t)at_number(at, WORK), at->cpu->number);
}

static void on_work_end(struct at *at)
{
	struct thread *thread = at_own(at);

	if (thread)
		end(at->wake, thread, at->cpu->number);
}

static bool job(const struct wake *wake, const struct piece *run, struct kernel_job *job)
{
	const struct work *work = work_at(wake, run->cause_index);

	*job = (struct kernel_job){work->owner, name_at(wake->names, work->queue, "?")};
	return true;
}

static const struct part_event events[] = {
	{"workqueue:workqueue_queue_work", on_queue_work, {"work", "workqueue", "function"}},
	{"workqueue:workqueue_execute_start", on_work_start, {"work"}},
	{"workqueue:workqueue_execute_end", on_work_end, {"work"}},
	{0},
};

const struct part work_part = {
	.events = events,
	.window = sizeof(struct works),
	.forget = forget,
	.lost = lost,
	.serves = serves,
	.job = job,
	.began = began,
};
