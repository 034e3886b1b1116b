#include "wake/node.h"

#include <stdlib.h>
#include <string.h>

#include "wake/frequency.h"
#include "wake/name.h"
#include "wake/part.h"
#include "wake/recording.h"
#include "wake/softirq.h"
#include "wake/stack.h"

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

void deed_in(const struct wake *wake, struct deed *deed, const struct piece *wait)
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

/* What a part says of a run, or a job for others, or nothing else. The work of a kernel thread is the deed of whoever queued it. */
static void tell_run(const struct wake *wake, const struct thread *thread, const struct piece *run, int32_t asker, struct deed *deed)
{
	struct job job;

	deed->kind = DEED_RUN;
	deed->who = wake_comm_at(wake, piece_master(wake, thread, run), run->start);
	for (int i = 0; i < PARTS_COUNT; i++)
		if (wake->parts[i]->tell_run && wake->parts[i]->tell_run(wake, run, asker, deed))
			return;
	if (core_job(wake, run, &job)) {
		deed->kind = DEED_WORK;
		deed->queue = job.queue;
	}
}

static struct deed piece_deed(struct wake *wake, const struct thread *thread, size_t at, int32_t asker)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *comm = wake_comm_at(wake, thread, piece->start);
	struct deed deed = deed_of(DEED_UNSEEN);

	switch (piece->what) {
	case WHAT_RUN:
		tell_run(wake, thread, piece, asker, &deed);
		break;
	case WHAT_RUNNABLE:
		deed.kind = DEED_READY;
		deed.purpose = holder_is_idle(wake, thread, at) ? "idle" : NULL;
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
	struct wake *wake = cut->wake;
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

int32_t wait_end_node(struct cut *cut, const struct thread *thread, const struct piece *wait, enum node_what what, int64_t start,
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
	deed.doubt = wait->cause == CAUSE_NONE && !ends ? recording_doubt(cut->wake, wait->start) : NULL;
	index = wait_end_node(cut, thread, wait, WHAT_UNKNOWN, wait->start, end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	detail.until = ends ? "end" : NULL;
	graph_detail(cut->graph, index, &detail);
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
	free(cut->pieces.items);
}
