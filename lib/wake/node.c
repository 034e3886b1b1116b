#include "wake/node.h"

#include <stdlib.h>
#include <string.h>

#include "wake/earlier_names.h"
#include "wake/name.h"
#include "wake/part.h"
#include "wake/softirq.h"

/* The thread that the piece's time belongs to: if the piece is a job for others, the thread that asked for the job. */
static const struct thread *piece_master(const struct wake *wake, const struct thread *thread, const struct piece *piece)
{
	struct kernel_job job;

	return core_job(wake, piece, &job) && job.owner != INDEX_NONE ? wake->threads.items[job.owner] : thread;
}

static void tell(struct cut *cut, struct telling *telling)
{
	for (int i = 0; i < PARTS_COUNT; i++)
		if (cut->wake->parts[i]->tell)
			cut->wake->parts[i]->tell(cut, telling);
}

static void telling_free(struct telling *telling)
{
	for (size_t i = 0; i < telling->texts.count; i++)
		free(telling->texts.items[i]);
	free(telling->texts.items);
	free(telling->stack);
}

/* Makes a node with all that parts told of it, and frees the telling. */
static int32_t told_node(struct cut *cut, enum node_what what, struct telling *telling)
{
	int32_t index = new_node(cut, what, telling->start, telling->end, telling->thread->tid, telling->deed);

	graph_detail(cut->graph, index, telling->detail);
	if (telling->stack)
		cut->graph->nodes.items[index].stack = graph_keep(cut->graph, telling->stack);
	telling->stack = NULL;
	telling_free(telling);
	return index;
}

/* How long a CPU must have been idle to show that a runnable thread was not let on it. */
enum { IDLE_NS = 50000 };

/* Adds a node for a piece in which the holder had the CPU while the waiter waited for the CPU. An idle CPU holds up nobody. */
static void add_holder(struct cut *cut, const struct thread *holder, size_t at, int64_t from, int64_t to,
		       const struct thread *waiter, int32_t node)
{
	const struct wake *wake = cut->wake;
	const struct piece *piece = &holder->pieces.items[at];
	bool interrupt = piece->what == WHAT_IRQ || piece->what == WHAT_SOFTIRQ;
	bool runs = piece->what == WHAT_RUN || (piece->what == WHAT_WAIT && piece->flags & PIECE_BUSY);
	int64_t start = later(from, piece->start), end = sooner(to, thread_piece_end(wake, holder, at));
	const struct thread *master = interrupt ? holder : piece_master(wake, holder, piece);
	struct deed_detail detail = DEED_DETAIL_NONE;
	struct deed deed = deed_of(DEED_HOLD_CPU);
	struct telling telling = {.thread = holder, .piece = at, .start = start, .end = end, .asker = INDEX_NONE, .runs = true, .deed = &deed, .detail = &detail};
	int32_t source;

	if (start >= end || (!interrupt && (!runs || holder->tid == TID_IDLE)))
		return;
	deed.cpu = piece->cpu;
	deed.whom = wake_comm_at(wake, waiter, start);
	if (interrupt) {
		deed_by_interrupt(wake, &deed, piece->what == WHAT_SOFTIRQ, piece->cause_index);
	} else {
		deed.who = wake_comm_at(wake, master, start);
		deed.pipe = events_of_pipe(wake->events, master->tid);
		detail.thread = master == holder ? NULL : wake_comm_at(wake, holder, start);
		tell(cut, &telling);
	}
	source = told_node(cut, interrupt ? piece->what : WHAT_RUN, &telling);
	cut->graph->nodes.items[source].who_tid = interrupt ? 0 : master->tid;
	cut->graph->nodes.items[source].whom_tid = waiter->tid;
	graph_edge(cut->graph, source, node, EDGE_CPU, TIME_NONE);
}

static size_t slice_at(const struct cpu *cpu, int64_t ts)
{
	size_t low = COUNT_UNTIL(cpu->slices.items, cpu->slices.count, start, ts);

	return low ? low - 1 : 0;
}

/* The piece's CPU, brought up to date with the gaps. NULL: nothing was seen there. */
static const struct cpu *cpu_of(struct wake *wake, const struct piece *piece)
{
	return piece->cpu < wake->cpus.count && wake->cpus.items[piece->cpu] ? core_cpu(wake, piece->cpu) : NULL;
}

static void add_slices(struct cut *cut, const struct thread *waiter, const struct piece *piece, int32_t node,
			int64_t from, int64_t to)
{
	const struct cpu *cpu = cpu_of(cut->wake, piece);

	for (size_t i = cpu ? slice_at(cpu, from) : 0; cpu && i < cpu->slices.count; i++) {
		const struct cpu_slice *slice = &cpu->slices.items[i];
		int64_t start = later(from, slice->start), end = to;
		const struct thread *holder;
		size_t at;

		if (slice->start >= to)
			break;
		if (slice->thread == INDEX_NONE || slice->thread == waiter->index)
			continue;
		if (i + 1 < cpu->slices.count)
			end = sooner(to, slice[1].start);
		holder = core_sync(cut->wake, slice->thread);
		at = thread_find(holder, start);
		for (at = at ? at - 1 : 0; at < holder->pieces.count && holder->pieces.items[at].start < end; at++)
			add_holder(cut, holder, at, start, end, waiter, node);
	}
}

/* Tells whether the runnable thread is known to have waited for the piece's CPU all the time. */
static bool had_one_cpu(const struct wake *wake, const struct thread *thread, size_t at)
{
	return wake->migrations || (at + 1 < thread->pieces.count && thread->pieces.items[at + 1].cpu == thread->pieces.items[at].cpu);
}

/*
 * Until when the thread was throttled, by its group's quota or as a real-time thread: it was taken off the CPU though it
 * could run, and then the CPU was idle. Without a quota that never happens. If nothing shows it: the start of the piece.
 */
static int64_t throttled_until(struct wake *wake, const struct thread *thread, size_t at, int64_t end)
{
	const struct piece *piece = &thread->pieces.items[at];
	const struct cpu *cpu = cpu_of(wake, piece);
	int64_t until = piece->start;

	if (!cpu || cpu->idle == INDEX_NONE || at == 0 || piece[-1].what == WHAT_WAIT)
		return until;
	if (!had_one_cpu(wake, thread, at))
		return until;
	for (size_t i = slice_at(cpu, piece->start); i < cpu->slices.count && cpu->slices.items[i].start < end; i++) {
		const struct cpu_slice *slice = &cpu->slices.items[i];
		int64_t stop = i + 1 < cpu->slices.count ? sooner(end, slice[1].start) : end;

		if (slice->thread == cpu->idle && slice->start >= piece->start && stop - slice->start >= IDLE_NS)
			until = stop;
	}
	return until;
}

/* When the waiter was throttled, and why; from == to: it was not. */
static struct throttling find_throttling(struct wake *wake, const struct thread *waiter, size_t at, int64_t end)
{
	int64_t start = waiter->pieces.items[at].start, idle = throttled_until(wake, waiter, at, end);
	struct throttling found = {.from = start, .to = start, .user = INDEX_NONE};

	for (int i = 0; i < PARTS_COUNT; i++)
		if (wake->parts[i]->throttled && wake->parts[i]->throttled(wake, waiter, start, end, &found))
			break;
	if (idle > start) {
		found.from = start;
		found.to = later(found.to, idle);
	}
	return found;
}

/*
 * Tells whether the thread waited for an idle CPU to wake up: the CPU was idle for longer than others had it, and for at least half of the
 * time in which no other had it.
 */
static bool holder_is_idle(struct wake *wake, const struct thread *waiter, size_t at)
{
	const struct piece *piece = &waiter->pieces.items[at];
	int64_t end = thread_piece_end(wake, waiter, at), idle = 0, held = 0;
	struct throttling off = find_throttling(wake, waiter, at, end);
	const struct cpu *cpu = cpu_of(wake, piece);

	for (size_t i = cpu ? slice_at(cpu, piece->start) : 0; cpu && i < cpu->slices.count && cpu->slices.items[i].start < end; i++) {
		const struct cpu_slice *slice = &cpu->slices.items[i];
		int64_t start = later(piece->start, slice->start);
		int64_t time = (i + 1 < cpu->slices.count ? sooner(end, slice[1].start) : end) - start;

		if (time > 0 && slice->thread != INDEX_NONE && slice->thread != waiter->index)
			*(slice->thread == cpu->idle ? &idle : &held) += time;
	}
	return had_one_cpu(wake, waiter, at) && off.from >= off.to && idle > held && idle >= (end - piece->start - held) / 2;
}

static void add_throttling(struct cut *cut, const struct thread *waiter, const struct piece *piece, int32_t node,
			   const struct throttling *off)
{
	struct deed_detail detail = {.cpu = piece->cpu, .sector = NO_SECTOR, .quota = off->quota, .period = off->period};
	const struct thread *user = off->user == INDEX_NONE ? NULL : cut->wake->threads.items[off->user];
	struct deed deed = deed_of(DEED_THROTTLE_CPU);
	int32_t throttle;

	deed.whom = wake_comm_at(cut->wake, waiter, piece->start);
	deed.group = off->group;
	deed.who = user ? wake_comm_at(cut->wake, user, off->from) : NULL;
	detail.thread = user ? deed.whom : NULL;
	throttle = new_node(cut, WHAT_UNKNOWN, off->from, off->to, waiter->tid, &deed);
	cut->graph->nodes.items[throttle].who_tid = user ? user->tid : 0;
	cut->graph->nodes.items[throttle].whom_tid = waiter->tid;
	graph_detail(cut->graph, throttle, &detail);
	graph_edge(cut->graph, throttle, node, EDGE_CPU, TIME_NONE);
}

/*
 * Adds a node for each piece that had the CPU for which a runnable piece waited, cut to the time that both have in common; and a node for
 * the time in which the thread was throttled.
 */
static void add_holders(struct cut *cut, const struct thread *waiter, size_t at, int32_t node)
{
	const struct piece *piece = &waiter->pieces.items[at];
	int64_t from = later(piece->start, cut->graph->from);
	int64_t end = thread_piece_end(cut->wake, waiter, at), to = sooner(end, cut->graph->to);
	struct throttling off = find_throttling(cut->wake, waiter, at, end);

	off.from = later(off.from, from);
	off.to = sooner(off.to, to);
	if (off.from >= off.to)
		off.from = off.to = from;
	else
		add_throttling(cut, waiter, piece, node, &off);
	if (from < off.from)
		add_slices(cut, waiter, piece, node, from, off.from);
	if (off.to < to)
		add_slices(cut, waiter, piece, node, off.to, to);
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
	const char *name = soft ? softirq_name(number) : name_irq(wake->names, number);

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

/* Sets the deed of a run: what a part tells, else a job for others, else just running. A work is a deed of the thread that queued it. */
static void tell_run(const struct wake *wake, const struct thread *thread, const struct piece *run, int32_t asker, struct deed *deed)
{
	struct kernel_job job;

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

static struct deed_detail piece_detail(const struct wake *wake, const struct thread *thread, size_t at, const struct deed *deed)
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
	return detail;
}

/* Sets the tid of the thread that did the deed, and of the one that it was done to, if that is not the piece's own thread. */
static void set_tids(const struct wake *wake, const struct thread *thread, const struct piece *piece, struct node *node)
{
	if (piece->what == WHAT_RUN)
		node->who_tid = piece_master(wake, thread, piece)->tid;
	if (node->deed->kind == DEED_SERVE)
		node->whom_tid = wake->threads.items[piece->cause_index]->tid;
}

/* Asks the last part first: it has the user's rules. */
static int32_t run_for(struct cut *cut, const struct thread *thread, size_t run, int32_t asker, const struct deed *deed)
{
	int32_t served = INDEX_NONE;

	for (int i = PARTS_COUNT; i-- > 0 && served == INDEX_NONE;)
		if (cut->wake->parts[i]->run_for)
			served = cut->wake->parts[i]->run_for(cut, thread, run, asker, deed);
	return served;
}

static int32_t new_piece_node(struct cut *cut, const struct thread *thread, size_t at, int32_t asker)
{
	struct wake *wake = cut->wake;
	const struct piece *piece = &thread->pieces.items[at];
	struct deed deed = piece_deed(wake, thread, at, asker);
	struct deed_detail detail = piece_detail(wake, thread, at, &deed);
	struct telling telling = {.thread = thread, .piece = at, .start = piece->start, .end = thread_piece_end(wake, thread, at), .asker = asker,
				  .runs = piece->what == WHAT_RUN, .deed = &deed, .detail = &detail};
	int32_t index, served = run_for(cut, thread, at, asker, &deed);

	if (served != INDEX_NONE)
		deed.whom = wake_comm_at(wake, wake->threads.items[served], piece->start);
	if (deed.kind == DEED_WAIT)
		deed_in(wake, &deed, piece);
	tell(cut, &telling);
	index = told_node(cut, piece->what, &telling);
	set_tids(wake, thread, piece, &cut->graph->nodes.items[index]);
	if (served != INDEX_NONE)
		cut->graph->nodes.items[index].whom_tid = wake->threads.items[served]->tid;
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
	struct deed_detail detail = DEED_DETAIL_NONE; /* not used: the wait's own node has it */
	struct telling telling = {.thread = thread, .piece = (size_t)(wait - thread->pieces.items), .start = start, .end = end, .asker = INDEX_NONE,
				  .deed = deed, .detail = &detail};
	int32_t index;

	tell(cut, &telling);
	index = new_node(cut, what, start, end, 0, deed);
	telling_free(&telling);
	return index;
}

static const char *doubts(const struct wake *wake, int64_t since)
{
	const char *doubt = NULL;

	for (int i = 0; i < PARTS_COUNT && !doubt; i++)
		if (wake->parts[i]->doubts)
			doubt = wake->parts[i]->doubts(wake, since);
	return doubt;
}

/* What stopped the thread that waits for this reason; NULL: nothing did. */
static const char *stopper(const struct reason *reason)
{
	if (reason->purpose && strcmp(reason->purpose, "stop") == 0)
		return "signal";
	return reason->purpose && strcmp(reason->purpose, "tracer") == 0 ? "tracer" : NULL;
}

static int32_t stopped_node(struct cut *cut, const struct thread *thread, const struct piece *wait, const char *by, int64_t end)
{
	struct deed deed = deed_of(DEED_STOP);

	deed.who = wake_comm_at(cut->wake, thread, wait->start);
	deed.purpose = by;
	return new_node(cut, WHAT_UNKNOWN, wait->start, end, thread->tid, &deed);
}

int32_t nobody_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end, const char *until)
{
	struct deed_detail detail = DEED_DETAIL_NONE;
	struct deed deed = deed_of(DEED_UNKNOWN);
	const char *by = until ? NULL : stopper(reason_at(cut->wake->reasons, wait->call));
	int32_t index;

	deed.doubt = wait->cause == CAUSE_NONE && !until ? doubts(cut->wake, wait->start) : NULL;
	if (by && !deed.doubt)
		return stopped_node(cut, thread, wait, by, end);
	deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	deed_in(cut->wake, &deed, wait);
	index = wait_end_node(cut, thread, wait, WHAT_UNKNOWN, wait->start, end, &deed);
	cut->graph->nodes.items[index].whom_tid = thread->tid;
	detail.until = until;
	graph_detail(cut->graph, index, &detail);
	return index;
}

int32_t nothing_node(struct cut *cut, const struct wake_wanted *wanted)
{
	struct deed deed = deed_of(DEED_NOT_IN_DATA);
	int32_t index;

	deed.whom = *wanted->comm ? wanted->comm : NULL;
	deed.syscall = *wanted->call ? wanted->call : NULL;
	index = new_node(cut, WHAT_UNKNOWN, cut->graph->from, cut->graph->to, 0, &deed);
	cut->graph->nodes.items[index].whom_tid = wanted->tid;
	return index;
}

void cut_end(struct cut *cut)
{
	for (size_t i = 0; i < cut->pieces.count; i++)
		cut->pieces.items[i]->node = NODE_NONE;
	free(cut->pieces.items);
}
