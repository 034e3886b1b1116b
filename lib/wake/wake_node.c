#include "wake/wake_node.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "wake/ask.h"
#include "wake/block.h"
#include "wake/context.h"
#include "wake/frequency.h"
#include "wake/wake_stack.h"

struct thread *thread_at(struct cut *cut, int32_t index)
{
	return core_sync(cut->wake, index);
}

int32_t new_node(struct cut *cut, enum node_what what, int64_t start, int64_t end, int32_t tid, char *name, char *label)
{
	int32_t index = graph_node(cut->graph, (int64_t)cut->graph->nodes.count + 1, name);
	struct node *node = &cut->graph->nodes.items[index];

	node->what = (uint8_t)what;
	node->start = start;
	node->end = end;
	node->tid = tid;
	if (label)
		node->label = graph_intern(cut->graph, label);
	free(name);
	free(label);
	return index;
}

char *interrupt_name(const struct wake *wake, bool soft, int32_t number)
{
	const char *name = soft ? softirq_name(number) : wake_irq_name(wake->names, number);

	return memory_format("%s %s", soft ? "softirq" : "irq", name ? name : "?");
}

const struct thread *piece_master(const struct wake *wake, const struct thread *thread, const struct piece *piece)
{
	int32_t owner = piece->cause == CAUSE_WORK ? work_at(wake, piece->cause_index)->owner : INDEX_NONE;

	return owner == INDEX_NONE ? thread : wake->threads.items[owner];
}

/* A part of a batch that ended with a wake-up of another process than the one that asks. */
static bool serves_another(const struct wake *wake, const struct piece *piece, int32_t asker)
{
	const struct thread *const *threads = (const struct thread *const *)wake->threads.items;

	return piece->flags & PIECE_BATCH && piece->cause == CAUSE_PEER && asker != INDEX_NONE &&
	       events_tgid(wake->events, threads[piece->cause_index]->tid) !=
		   events_tgid(wake->events, threads[asker]->tid);
}

/* The work of a kernel thread has the name of whoever queued it. */
static char *run_name(const struct wake *wake, const struct thread *thread, size_t at, int32_t asker)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *comm = wake_comm_at(wake, piece_master(wake, thread, piece), piece->start);

	if (piece->flags & PIECE_KILLED)
		return memory_format("%s: killed by the OOM killer", comm);
	if (piece->flags & PIECE_RECLAIM)
		return memory_format("%s: reclaiming memory%s", comm, piece->flags & PIECE_GROUP ? " of a control group" : "");
	if (piece->flags & PIECE_SPIN)
		return memory_format("%s: spinning for a kernel lock", comm);
	if (serves_another(wake, piece, asker))
		return memory_format("%s: running for %s", comm,
				     wake_comm(wake, wake->threads.items[piece->cause_index]));
	if (piece->cause != CAUSE_WORK)
		return memory_format("%s: running%s", comm,
				     frequency_low(wake, piece->cpu, piece->start, thread_piece_end(wake, thread, at))
					 ? " at a low frequency"
					 : "");
	return memory_format("%s: work on %s", comm,
			     wake_text(wake->names, work_at(wake, piece->cause_index)->queue, "?"));
}

static char *piece_name(const struct wake *wake, const struct thread *thread, size_t at, int32_t asker)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *comm = wake_comm_at(wake, thread, piece->start);
	char *interrupt, *name;

	switch (piece->what) {
	case WHAT_RUN:
		return run_name(wake, thread, at, asker);
	case WHAT_RUNNABLE:
		return memory_format("%s: runnable", comm);
	case WHAT_WAIT:
		return memory_format("%s: waiting", comm);
	case WHAT_IRQ:
	case WHAT_SOFTIRQ:
		interrupt = interrupt_name(wake, piece->what == WHAT_SOFTIRQ, piece->cause_index);
		name = memory_format("%s: interrupting %s", interrupt, comm);
		free(interrupt);
		return name;
	default:
		return piece->flags & PIECE_LOST ? memory_format("unknown: events were lost")
						 : memory_format("unknown: state of %s", comm);
	}
}

static char *run_label(const struct wake *wake, const struct thread *thread, size_t at, const char *began)
{
	const struct piece *piece = &thread->pieces.items[at];
	char *note = frequency_note(wake, piece->cpu, piece->start, thread_piece_end(wake, thread, at));
	char *label = memory_format("%s/%d on CPU %u%s%s", wake_comm_at(wake, thread, piece->start), thread->tid,
				    piece->cpu, note, began);

	free(note);
	return label;
}

static char *piece_label(const struct wake *wake, const struct thread *thread, size_t at)
{
	const struct piece *piece = &thread->pieces.items[at];
	const char *began = piece->flags & PIECE_ASSUMED ? ", began before the data" : "";
	const char *comm = wake_comm_at(wake, thread, piece->start);

	switch (piece->what) {
	case WHAT_RUN:
		return run_label(wake, thread, at, began);
	case WHAT_RUNNABLE:
		return memory_format("%s/%d waiting for CPU %u%s", comm, thread->tid, piece->cpu, began);
	case WHAT_WAIT:
		return memory_format("%s/%d in %s%s", comm, thread->tid,
				     wake_text(wake->names, piece->call, "sleep"), began);
	default:
		return memory_format("%s/%d%s", comm, thread->tid, began);
	}
}

int32_t piece_node(struct cut *cut, const struct thread *thread, size_t at, int32_t asker)
{
	struct piece *piece = &thread->pieces.items[at];
	int64_t end = thread_piece_end(cut->wake, thread, at);
	char *stack;

	if (piece->node != NODE_NONE)
		return piece->node;
	piece->node = new_node(
	    cut, piece->what, piece->start, end, thread->tid,
	    wake_stack_name(cut->wake, thread, at, asker, piece_name(cut->wake, thread, at, asker)),
	    wake_stack_label(cut->wake, thread, at, asker, piece_label(cut->wake, thread, at)));
	stack = wake_stack_functions(cut->wake, thread, at, asker);
	if (stack)
		cut->graph->nodes.items[piece->node].stack = graph_keep(cut->graph, stack);
	*ARRAY_ADD(&cut->pieces) = piece;
	if (piece->what == WHAT_RUNNABLE)
		add_holders(cut, thread, at, piece->node);
	return piece->node;
}

static char *packet_name(const struct wake *wake, const struct thread *thread, const struct piece *wait)
{
	return wake_stack_name(wake, thread, (size_t)(wait - thread->pieces.items), INDEX_NONE,
			       memory_format("timer: packet to %s", wake_comm_at(wake, thread, wait->start)));
}

/* Of the interrupt or soft interrupt that a cause is. */
static int32_t cause_number(const struct wake *wake, uint8_t cause, int32_t index)
{
	return cause == CAUSE_DEFERRED ? wake->raises.items[index].number : index;
}

int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, const char *label)
{
	const struct wake *wake = cut->wake;
	size_t at = (size_t)(wait - thread->pieces.items);
	char *name = memory_format("unknown: %s of %s", wake_text(wake->names, wait->call, "wait"),
				   wake_comm_at(wake, thread, wait->start));

	return new_node(cut, WHAT_UNKNOWN, wait->start, end, 0, wake_stack_name(wake, thread, at, INDEX_NONE, name),
			label ? memory_format("%s", label) : NULL);
}

int32_t bare_cause_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	const struct wake *wake = cut->wake;
	const char *comm = wake_comm_at(wake, thread, wait->start);
	const char *call = wake_text(wake->names, wait->call, wait->cause == CAUSE_TIMER ? "sleep" : "wait");
	bool soft = wait->cause == CAUSE_SOFTIRQ || wait->cause == CAUSE_DEFERRED;
	int32_t number = cause_number(wake, wait->cause, wait->cause_index);
	size_t at = (size_t)(wait - thread->pieces.items);
	char *interrupt, *name;

	if (wait->cause == CAUSE_TIMER)
		return new_node(cut, WHAT_TIMER, wait->start, end, 0,
				wake_stack_name(wake, thread, at, INDEX_NONE, memory_format("timer: %s of %s", call, comm)),
				NULL);
	if (wait->cause == CAUSE_SENT)
		return new_node(cut, WHAT_TIMER, wait->start, end, 0, packet_name(wake, thread, wait), NULL);
	if (wait->cause != CAUSE_IRQ && !soft)
		return nobody_node(cut, thread, wait, end, NULL);
	interrupt = interrupt_name(wake, soft, number);
	name = soft && !softirq_carries(number) ? memory_format("%s: %s of %s", interrupt, call, comm)
						: memory_format("%s: outside event for %s", interrupt, comm);
	name = wake_stack_name(wake, thread, at, INDEX_NONE, name);
	free(interrupt);
	return new_node(cut, soft ? WHAT_SOFTIRQ : WHAT_IRQ, sooner(wait->start, end), end, 0, name, NULL);
}

int32_t work_cause_node(struct cut *cut, const struct work *work, int64_t start, int32_t asker)
{
	const struct wake *wake = cut->wake;
	const char *queue = wake_text(wake->names, work->queue, "?");
	bool soft = work->cause == CAUSE_SOFTIRQ || work->cause == CAUSE_DEFERRED;
	char *interrupt, *name;

	if (work->throttled)
		return new_node(cut, WHAT_TIMER, start, work->by.ts, 0,
				memory_format("io throttled: %s", asker == INDEX_NONE ? "?"
						  : wake_comm(wake, wake->threads.items[asker])),
				NULL);
	if (work->cause == CAUSE_TIMER || work->cause == CAUSE_SENT)
		return new_node(cut, WHAT_TIMER, start, work->by.ts, 0, memory_format("timer: work on %s", queue), NULL);
	if (work->cause != CAUSE_IRQ && !soft)
		return new_node(cut, WHAT_UNKNOWN, start, work->by.ts, 0, memory_format("unknown: work on %s", queue),
				NULL);
	interrupt = interrupt_name(wake, soft, cause_number(wake, work->cause, work->cause_index));
	name = memory_format("%s: work on %s", interrupt, queue);
	free(interrupt);
	return new_node(cut, soft ? WHAT_SOFTIRQ : WHAT_IRQ, start, work->by.ts, 0, name, NULL);
}

int32_t armed_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const struct raise *raise,
		   int64_t end)
{
	const struct thread *by = cut->wake->threads.items[raise->thread];
	const char *comm = wake_comm_at(cut->wake, thread, wait->start);
	char *name = wait->cause == CAUSE_SENT ? packet_name(cut->wake, thread, wait)
					       : memory_format("timer: armed by %s for %s", wake_comm_at(cut->wake, by, raise->ts), comm);

	return new_node(cut, WHAT_TIMER, later(wait->start, raise->ts), end, by->tid, name, NULL);
}

int32_t raised_node(struct cut *cut, const struct thread *thread, const struct raise *raise, int64_t end)
{
	return new_node(cut, WHAT_SOFTIRQ, raise->ts, end, 0,
			memory_format("softirq: on its way to %s", wake_comm_at(cut->wake, thread, raise->ts)), NULL);
}

int32_t nothing_node(struct cut *cut)
{
	return new_node(cut, WHAT_UNKNOWN, cut->graph->from, cut->graph->to, 0,
			memory_format("unknown: not in the data"), NULL);
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
	free(cut->holdings.items);
	free(cut->requests.items);
}
