#include "wake/name.h"
#include "wake/node.h"
#include "wake/frequency.h"
#include "wake/quota.h"

#include <stdlib.h>
#include <string.h>

/* How long a CPU must have been idle to show that a runnable thread was not let on it. */
enum { IDLE_NS = 50000 };

/* What the holder of a CPU did there while another waited for it; an idle CPU holds up nobody. */
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
		frequency_pace(wake, piece->cpu, start, end, &detail);
	}
	source = new_node(cut, interrupt ? piece->what : WHAT_RUN, start, end, holder->tid, &deed);
	cut->graph->nodes.items[source].who_tid = interrupt ? 0 : master->tid;
	cut->graph->nodes.items[source].whom_tid = waiter->tid;
	graph_detail(cut->graph, source, &detail);
	graph_edge(cut->graph, source, node, EDGE_CPU, TIME_NONE);
}

static size_t tenure_at(const struct cpu *cpu, int64_t ts)
{
	size_t low = COUNT_UNTIL(cpu->tenures.items, cpu->tenures.count, start, ts);

	return low ? low - 1 : 0;
}

/* Up to date with the gaps. NULL: nothing was seen there. */
static const struct cpu *cpu_of(struct wake *wake, const struct piece *piece)
{
	return piece->cpu < wake->cpus.count && wake->cpus.items[piece->cpu] ? core_cpu(wake, piece->cpu) : NULL;
}

static void add_tenures(struct cut *cut, const struct thread *waiter, const struct piece *piece, int32_t node,
			int64_t from, int64_t to)
{
	const struct cpu *cpu = cpu_of(cut->wake, piece);

	for (size_t i = cpu ? tenure_at(cpu, from) : 0; cpu && i < cpu->tenures.count; i++) {
		const struct tenure *tenure = &cpu->tenures.items[i];
		int64_t start = later(from, tenure->start), end = to;
		const struct thread *holder;
		size_t at;

		if (tenure->start >= to)
			break;
		if (tenure->thread == INDEX_NONE || tenure->thread == waiter->index)
			continue;
		if (i + 1 < cpu->tenures.count)
			end = sooner(to, tenure[1].start);
		holder = core_sync(cut->wake, tenure->thread);
		at = thread_find(holder, start);
		for (at = at ? at - 1 : 0; at < holder->pieces.count && holder->pieces.items[at].start < end; at++)
			add_holder(cut, holder, at, start, end, waiter, node);
	}
}

/* Else it may have waited for another CPU. */
static bool had_one_cpu(const struct wake *wake, const struct thread *thread, size_t at)
{
	return wake->migrations || (at + 1 < thread->pieces.count && thread->pieces.items[at + 1].cpu == thread->pieces.items[at].cpu);
}

/*
 * Until when the thread was throttled, by its group's quota or as a real-time thread: it was taken off the CPU though it
 * could run, and the CPU was idle then. Without a quota that never is. The start of the piece if nothing shows it.
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
	for (size_t i = tenure_at(cpu, piece->start); i < cpu->tenures.count && cpu->tenures.items[i].start < end; i++) {
		const struct tenure *tenure = &cpu->tenures.items[i];
		int64_t stop = i + 1 < cpu->tenures.count ? sooner(end, tenure[1].start) : end;

		if (tenure->thread == cpu->idle && tenure->start >= piece->start && stop - tenure->start >= IDLE_NS)
			until = stop;
	}
	return until;
}

/* When the waiter was throttled, and why; not at all: from == to. */
static struct throttling find_throttling(struct wake *wake, const struct thread *waiter, size_t at, int64_t end)
{
	int64_t start = waiter->pieces.items[at].start, idle = throttled_until(wake, waiter, at, end);
	struct throttling found = {.from = start, .to = start, .user = INDEX_NONE};

	quota_throttled(wake, waiter, start, end, &found);
	if (idle > start) {
		found.from = start;
		found.to = later(found.to, idle);
	}
	return found;
}

bool holder_is_idle(struct wake *wake, const struct thread *waiter, size_t at)
{
	const struct piece *piece = &waiter->pieces.items[at];
	int64_t end = thread_piece_end(wake, waiter, at), idle = 0, held = 0;
	struct throttling off = find_throttling(wake, waiter, at, end);
	const struct cpu *cpu = cpu_of(wake, piece);

	for (size_t i = cpu ? tenure_at(cpu, piece->start) : 0; cpu && i < cpu->tenures.count && cpu->tenures.items[i].start < end; i++) {
		const struct tenure *tenure = &cpu->tenures.items[i];
		int64_t start = later(piece->start, tenure->start);
		int64_t time = (i + 1 < cpu->tenures.count ? sooner(end, tenure[1].start) : end) - start;

		if (time > 0 && tenure->thread != INDEX_NONE && tenure->thread != waiter->index)
			*(tenure->thread == cpu->idle ? &idle : &held) += time;
	}
	return had_one_cpu(wake, waiter, at) && off.from >= off.to && idle > 0 && idle >= (end - piece->start - held) / 2;
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

void add_holders(struct cut *cut, const struct thread *waiter, size_t at, int32_t node)
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
		add_tenures(cut, waiter, piece, node, from, off.from);
	if (off.to < to)
		add_tenures(cut, waiter, piece, node, off.to, to);
}
