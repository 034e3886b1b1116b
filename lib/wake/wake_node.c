#include "wake/wake_node.h"

#include <stdlib.h>
#include <string.h>

#include "wake/ask.h"
#include "wake/block.h"
#include "wake/context.h"
#include "wake/frequency.h"
#include "wake/wake_stack.h"

struct thread *thread_at(struct cut *cut, int32_t index)
{
	return core_sync(cut->wake, index);
}

int32_t new_node(struct cut *cut, enum node_what what, int64_t start, int64_t end, int32_t tid, const struct deed *deed)
{
	int32_t index = graph_node(cut->graph, (int64_t)cut->graph->nodes.count + 1, deed);
	struct node *node = &cut->graph->nodes.items[index];

	node->what = (uint8_t)what;
	node->start = start;
	node->end = end;
	node->tid = tid;
	node->who_tid = deed->who ? tid : 0;
	node->whom_tid = deed->whom && !deed->who ? tid : 0;
	return index;
}

struct deed deed_of(enum deed_kind kind)
{
	return (struct deed){.kind = kind, .cpu = CPU_NONE};
}

void deed_by_interrupt(const struct wake *wake, struct deed *deed, bool soft, int32_t number)
{
	const char *name = soft ? softirq_name(number) : wake_irq_name(wake->names, number);

	*(soft ? &deed->softirq : &deed->irq) = name ? name : "?";
}

/* What the piece waits in, or for. */
static void deed_in(const struct wake *wake, struct deed *deed, const struct piece *wait)
{
	const struct reason *reason = reason_at(wake->reasons, wait->call);

	deed->syscall = reason->syscall;
	deed->object = reason->object;
	deed->lock = reason->lock;
	deed->purpose = reason->purpose;
}

const struct thread *piece_master(const struct wake *wake, const struct thread *thread, const struct piece *piece)
{
	struct job job;

	return core_job(wake, piece, &job) && job.owner != INDEX_NONE ? wake->threads.items[job.owner] : thread;
}

/* A part of a batch that ended with a wake-up of another process than the one that asks. */
static bool serves_another(const struct wake *wake, const struct piece *piece, int32_t asker)
{
	const struct thread *const *threads = (const struct thread *const *)wake->threads.items;

	return piece->flags & PIECE_BATCH && piece->cause == CAUSE_PEER && asker != INDEX_NONE &&
	       events_tgid(wake->events, threads[piece->cause_index]->tid) !=
		   events_tgid(wake->events, threads[asker]->tid);
}

/* The work of a kernel thread is the deed of whoever queued it. */
static void run_deed(const struct wake *wake, const struct thread *thread, size_t at, int32_t asker, struct deed *deed)
{
	const struct piece *piece = &thread->pieces.items[at];
	struct job job;

	deed->who = wake_comm_at(wake, piece_master(wake, thread, piece), piece->start);
	if (piece->flags & PIECE_KILLED) {
		deed->kind = DEED_DIE;
	} else if (piece->flags & PIECE_RECLAIM) {
		deed->kind = DEED_RECLAIM;
		deed->purpose = piece->flags & PIECE_GROUP ? "group" : NULL;
	} else if (piece->flags & PIECE_SPIN) {
		deed->kind = DEED_SPIN;
	} else if (serves_another(wake, piece, asker)) {
		deed->kind = DEED_SERVE;
		deed->whom = wake_comm(wake, wake->threads.items[piece->cause_index]);
	} else if (core_job(wake, piece, &job)) {
		deed->kind = DEED_WORK;
		deed->queue = job.queue;
	} else {
		deed->kind = DEED_RUN;
	}
}

static struct deed piece_deed(const struct wake *wake, const struct thread *thread, size_t at, int32_t asker)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *comm = wake_comm_at(wake, thread, piece->start);
	struct deed deed = deed_of(DEED_UNSEEN);

	switch (piece->what) {
	case WHAT_RUN:
		run_deed(wake, thread, at, asker, &deed);
		break;
	case WHAT_RUNNABLE:
		deed.kind = DEED_READY;
		deed.who = comm;
		break;
	case WHAT_WAIT:
		deed.kind = DEED_WAIT;
		deed.who = comm;
		break;
	case WHAT_IRQ:
	case WHAT_SOFTIRQ:
		deed.kind = DEED_INTERRUPT;
		deed.whom = comm;
		deed_by_interrupt(wake, &deed, piece->what == WHAT_SOFTIRQ, piece->cause_index);
		break;
	default:
		deed.kind = piece->flags & PIECE_LOST ? DEED_LOST : DEED_UNSEEN;
		deed.whom = deed.kind == DEED_UNSEEN ? comm : NULL;
	}
	deed.pipe = deed.who && events_of_pipe(wake->events, (piece->what == WHAT_RUN ? piece_master(wake, thread, piece) : thread)->tid);
	return deed;
}

static struct deed_detail piece_detail(const struct wake *wake, const struct thread *thread, size_t at, struct deed *deed)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *comm = wake_comm_at(wake, thread, piece->start), *named = deed->who ? deed->who : deed->whom;
	struct deed_detail detail = DEED_DETAIL_NONE;

	if (piece->what == WHAT_RUN || piece->what == WHAT_RUNNABLE)
		detail.cpu = piece->cpu;
	if (!named || strcmp(named, comm) != 0)
		detail.thread = comm;
	if (piece->flags & PIECE_ASSUMED)
		detail.began = "before";
	if (piece->what == WHAT_RUN && frequency_pace(wake, piece->cpu, piece->start, thread_piece_end(wake, thread, at), &detail) &&
	    deed->kind == DEED_RUN)
		deed->pace = "low";
	return detail;
}

/* Whose deed it is, or to whom it was done, if that is not the piece's own thread. */
static void set_tids(const struct wake *wake, const struct thread *thread, const struct piece *piece, struct node *node)
{
	if (piece->what == WHAT_RUN)
		node->who_tid = piece_master(wake, thread, piece)->tid;
	if (node->deed->kind == DEED_SERVE)
		node->whom_tid = wake->threads.items[piece->cause_index]->tid;
}

static int32_t new_piece_node(struct cut *cut, const struct thread *thread, size_t at, int32_t asker)
{
	const struct wake *wake = cut->wake;
	const struct piece *piece = &thread->pieces.items[at];
	struct stack_told told = wake_stack_tell(wake, thread, at, asker);
	struct deed deed = piece_deed(wake, thread, at, asker);
	struct deed_detail detail = piece_detail(wake, thread, at, &deed);
	int32_t index;

	deed.function = told.function;
	if (deed.kind == DEED_WAIT)
		deed_in(wake, &deed, piece);
	detail.kernel = told.kernel;
	detail.asker_function = told.asker_function;
	detail.asker = told.asker_function ? wake_comm(wake, wake->threads.items[asker]) : NULL;
	index = new_node(cut, piece->what, piece->start, thread_piece_end(wake, thread, at), thread->tid, &deed);
	graph_detail(cut->graph, index, &detail);
	set_tids(wake, thread, piece, &cut->graph->nodes.items[index]);
	if (told.functions)
		cut->graph->nodes.items[index].stack = graph_keep(cut->graph, told.functions);
	told.functions = NULL;
	stack_told_free(&told);
	return index;
}

int32_t piece_node(struct cut *cut, const struct thread *thread, size_t at, int32_t asker)
{
	struct piece *piece = &thread->pieces.items[at];

	if (piece->node != NODE_NONE)
		return piece->node;
	piece->node = new_piece_node(cut, thread, at, asker);
	*ARRAY_ADD(&cut->pieces) = piece;
	if (piece->what == WHAT_RUNNABLE)
		add_holders(cut, thread, at, piece->node);
	return piece->node;
}

/* Of the interrupt or soft interrupt that a cause is. */
static int32_t cause_number(const struct wake *wake, uint8_t cause, int32_t index)
{
	return cause == CAUSE_DEFERRED ? wake->raises.items[index].number : index;
}

/* A node of what ended this wait, and of what it was in. */
static int32_t wait_end_node(struct cut *cut, const struct thread *thread, const struct piece *wait, enum node_what what, int64_t start,
			     int64_t end, struct deed *deed)
{
	struct stack_told told = wake_stack_tell(cut->wake, thread, (size_t)(wait - thread->pieces.items), INDEX_NONE);
	int32_t index;

	deed->function = told.function;
	index = new_node(cut, what, start, end, 0, deed);
	stack_told_free(&told);
	return index;
}

int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, bool ends)
{
	struct deed_detail detail = DEED_DETAIL_NONE;
	struct deed deed = deed_of(DEED_UNKNOWN);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	deed_in(cut->wake, &deed, wait);
	index = wait_end_node(cut, thread, wait, WHAT_UNKNOWN, wait->start, end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	detail.until = ends ? "end" : NULL;
	graph_detail(cut->graph, index, &detail);
	return index;
}

/* A timer of the thread's own. */
static int32_t sleep_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	struct deed deed = deed_of(DEED_SLEEP);
	int32_t index;

	deed.who = wake_comm_at(cut->wake, thread, wait->start);
	deed_in(cut->wake, &deed, wait);
	index = wait_end_node(cut, thread, wait, WHAT_TIMER, wait->start, end, &deed);
	cut->graph->nodes.items[index].who_tid = thread->tid;
	return index;
}

static int32_t packet_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t start, int64_t end, int32_t tid)
{
	struct deed deed = deed_of(DEED_PACKET);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	index = wait_end_node(cut, thread, wait, WHAT_TIMER, start, end, &deed);
	cut->graph->nodes.items[index].tid = tid;
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

int32_t bare_cause_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	bool soft = wait->cause == CAUSE_SOFTIRQ || wait->cause == CAUSE_DEFERRED;
	int32_t number = cause_number(cut->wake, wait->cause, wait->cause_index), index;
	struct deed deed = deed_of(DEED_OUTSIDE);

	if (wait->cause == CAUSE_TIMER)
		return sleep_node(cut, thread, wait, end);
	if (wait->cause == CAUSE_SENT)
		return packet_node(cut, thread, wait, wait->start, end, 0);
	if (wait->cause != CAUSE_IRQ && !soft)
		return nobody_node(cut, thread, wait, end, false);
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	deed_by_interrupt(cut->wake, &deed, soft, number);
	if (soft && !softirq_carries(number)) {
		deed.kind = DEED_HOUSEKEEPING;
		deed_in(cut->wake, &deed, wait);
	}
	index = wait_end_node(cut, thread, wait, soft ? WHAT_SOFTIRQ : WHAT_IRQ, sooner(wait->start, end), end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

static int32_t throttled_work_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker)
{
	const struct thread *thread = asker == INDEX_NONE ? NULL : cut->wake->threads.items[asker];
	struct deed deed = deed_of(DEED_THROTTLE_IO);
	int32_t index;

	deed.whom = thread ? wake_comm(cut->wake, thread) : NULL;
	index = new_node(cut, WHAT_TIMER, start, work->by.ts, 0, &deed);
	cut->graph->nodes.items[index].whom_tid = thread ? thread->tid : 0;
	return index;
}

int32_t work_cause_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker)
{
	const struct wake *wake = cut->wake;
	bool soft = work->cause == CAUSE_SOFTIRQ || work->cause == CAUSE_DEFERRED;
	enum node_what what = WHAT_UNKNOWN;
	struct deed deed = deed_of(DEED_UNKNOWN_WORK);

	if (work->throttled)
		return throttled_work_node(cut, work, start, asker);
	deed.queue = wake_text(wake->names, work->queue, "?");
	if (work->cause == CAUSE_TIMER || work->cause == CAUSE_SENT) {
		deed.kind = DEED_TIMER_WORK;
		what = WHAT_TIMER;
	} else if (work->cause == CAUSE_IRQ || soft) {
		deed.kind = DEED_QUEUE_WORK;
		deed_by_interrupt(wake, &deed, soft, cause_number(wake, work->cause, work->cause_index));
		what = soft ? WHAT_SOFTIRQ : WHAT_IRQ;
	}
	return new_node(cut, what, start, work->by.ts, 0, &deed);
}

int32_t armed_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const struct raise *raise,
		   int64_t end)
{
	const struct thread *by = cut->wake->threads.items[raise->thread];
	int64_t start = later(wait->start, raise->ts);
	struct deed deed = deed_of(DEED_ALARM);
	int32_t index;

	if (wait->cause == CAUSE_SENT)
		return packet_node(cut, thread, wait, start, end, by->tid);
	deed.who = wake_comm_at(cut->wake, by, raise->ts);
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	index = new_node(cut, WHAT_TIMER, start, end, by->tid, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

int32_t raised_node(struct cut *cut, const struct thread *thread, const struct raise *raise, int64_t end)
{
	struct deed deed = deed_of(DEED_DELIVER);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, thread, raise->ts);
	index = new_node(cut, WHAT_SOFTIRQ, raise->ts, end, 0, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	return index;
}

int32_t nothing_node(struct cut *cut)
{
	struct deed deed = deed_of(DEED_NOT_IN_DATA);

	return new_node(cut, WHAT_UNKNOWN, cut->graph->from, cut->graph->to, 0, &deed);
}

void cut_end(struct cut *cut)
{
	for (size_t i = 0; i < cut->pieces.count; i++)
		cut->pieces.items[i]->node = NODE_NONE;
	for (size_t i = 0; i < cut->requests.count; i++) {
		struct request *request = request_at(cut->wake, cut->requests.items[i]);

		request->service_node = request->queue_node = request->behind_node = NODE_NONE;
		if (request->data != INDEX_NONE)
			block_data(cut->wake, request->data)->node = NODE_NONE;
	}
	free(cut->pieces.items);
	free(cut->requests.items);
}
