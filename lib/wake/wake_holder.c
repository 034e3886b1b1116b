#include "wake/wake_node.h"
#include "graph/rival.h"
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
	bool runs = piece->what == WHAT_RUN || (piece->what == WHAT_WAIT && piece->flags & PIECE_SPIN);
	int64_t start = later(from, piece->start), end = sooner(to, thread_piece_end(wake, holder, at));
	const struct thread *master = interrupt ? holder : piece_master(wake, holder, piece);
	char *who, *note;
	int32_t source;

	if (start >= end || (!interrupt && (!runs || holder->tid == TID_IDLE)))
		return;
	who = interrupt ? interrupt_name(wake, piece->what == WHAT_SOFTIRQ, piece->cause_index)
			: memory_format("%s", wake_comm_at(wake, master, start));
	note = frequency_note(wake, piece->cpu, start, end);
	source =
	    new_node(cut, interrupt ? piece->what : WHAT_RUN, start, end, master->tid,
		     rival_spell(who, piece->cpu, wake_comm_at(wake, waiter, start)),
		     interrupt ? NULL
			       : memory_format("%s/%d on CPU %u%s", wake_comm_at(wake, holder, start), holder->tid, piece->cpu,
					       note));
	*ARRAY_ADD(&cut->holdings) = (struct holding){.who = graph_intern(cut->graph, who), .node = source};
	free(who);
	free(note);
	graph_edge(cut->graph, source, node, EDGE_CPU, TIME_NONE);
}

static int by_name(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int by_who(const void *a, const void *b)
{
	return by_name(((const struct holding *)a)->who, ((const struct holding *)b)->who);
}

/* All are of one holder, who so has one name: what is true of nearly all. */
static void name_alike(struct graph *graph, const struct holding *holdings, size_t count)
{
	struct rivals rivals = {0};
	char *name;

	for (size_t i = 0; i < count; i++) {
		const struct node *node = &graph->nodes.items[holdings[i].node];

		rivals_add(&rivals, node->name, (double)(node->end - node->start));
	}
	name = rivals_name(&rivals);
	for (size_t i = 0; i < count; i++)
		graph->nodes.items[holdings[i].node].name = graph_intern(graph, name);
	rivals_free(&rivals);
	free(name);
}

void name_holders(struct cut *cut)
{
	struct holding *holdings = cut->holdings.items;
	size_t count = cut->holdings.count, first = 0;

	if (count)
		qsort(holdings, count, sizeof(*holdings), by_who);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && by_who(&holdings[first], &holdings[i]) == 0)
			continue;
		name_alike(cut->graph, &holdings[first], i - first);
		first = i;
	}
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
		holder = thread_at(cut, tenure->thread);
		at = thread_find(holder, start);
		for (at = at ? at - 1 : 0; at < holder->pieces.count && holder->pieces.items[at].start < end; at++)
			add_holder(cut, holder, at, start, end, waiter, node);
	}
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
	if (!wake->migrations && (at + 1 == thread->pieces.count || piece[1].cpu != piece->cpu))
		return until; /* it may have waited for another CPU */
	for (size_t i = tenure_at(cpu, piece->start); i < cpu->tenures.count && cpu->tenures.items[i].start < end; i++) {
		const struct tenure *tenure = &cpu->tenures.items[i];
		int64_t stop = i + 1 < cpu->tenures.count ? sooner(end, tenure[1].start) : end;

		if (tenure->thread == cpu->idle && tenure->start >= piece->start && stop - tenure->start >= IDLE_NS)
			until = stop;
	}
	return until;
}

/* When the waiter was throttled, and why; not at all: from == to. */
static struct throttling find_throttling(struct cut *cut, const struct thread *waiter, size_t at, int64_t end)
{
	int64_t start = waiter->pieces.items[at].start, idle = throttled_until(cut->wake, waiter, at, end);
	struct throttling found = {.from = start, .to = start};

	quota_throttled(cut->wake, waiter, start, end, &found);
	if (idle > start) {
		found.from = start;
		found.to = later(found.to, idle);
	}
	return found;
}

static void add_throttling(struct cut *cut, const struct thread *waiter, const struct piece *piece, int32_t node,
			   const struct throttling *off)
{
	const char *comm = wake_comm_at(cut->wake, waiter, piece->start);
	char *why = off->quota ? memory_format(" by the quota, %s", off->quota) : memory_format(", which was idle");
	int32_t throttle = new_node(cut, WHAT_UNKNOWN, off->from, off->to, waiter->tid,
				    memory_format("cpu throttled: %s", comm),
				    memory_format("%s/%d kept off CPU %u%s", comm, waiter->tid, piece->cpu, why));

	free(why);
	graph_edge(cut->graph, throttle, node, EDGE_CPU, TIME_NONE);
}

void add_holders(struct cut *cut, const struct thread *waiter, size_t at, int32_t node)
{
	const struct piece *piece = &waiter->pieces.items[at];
	int64_t from = later(piece->start, cut->graph->from);
	int64_t end = thread_piece_end(cut->wake, waiter, at), to = sooner(end, cut->graph->to);
	struct throttling off = find_throttling(cut, waiter, at, end);

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
