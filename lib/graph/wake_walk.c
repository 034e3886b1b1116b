#include "graph/wake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Something still to be walked: a thread or a request, backward from `at`, no further than `floor`, because of what
 * comes after it.
 */
struct errand {
	enum target target;
	int32_t index;
	int64_t at, floor;
	int32_t after; /* node; NODE_NONE: it is the graph's target */
	enum edge_kind edge;
	int64_t ts; /* of the edge */
};

struct walk {
	struct wake *wake;
	struct graph *graph;
	ARRAY(struct errand) errands;
	ARRAY(struct piece *) pieces;	/* that have a node */
	ARRAY(int32_t) requests;	/* that have one */
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static struct thread *thread_at(struct walk *walk, int32_t index)
{
	struct thread *thread = walk->wake->threads.items[index];

	wake_thread_sync(walk->wake, thread);
	return thread;
}

static int32_t new_node(struct walk *walk, enum node_what what, int64_t start, int64_t end, int32_t tid, char *name,
			char *label)
{
	int32_t index = graph_node(walk->graph, (int64_t)walk->graph->nodes.count + 1, name);
	struct node *node = &walk->graph->nodes.items[index];

	node->what = (uint8_t)what;
	node->start = start;
	node->end = end;
	node->tid = tid;
	if (label)
		node->label = graph_intern(walk->graph, label);
	free(name);
	free(label);
	return index;
}

static void link_nodes(struct walk *walk, int32_t from, int32_t to, enum edge_kind kind, int64_t ts)
{
	if (to == NODE_NONE)
		walk->graph->target = from;
	else
		graph_edge(walk->graph, from, to, kind, ts);
}

/* An interrupt's name: "irq virtio0", "softirq NET_RX". */
static char *interrupt_name(const struct wake *wake, bool soft, int32_t number)
{
	const char *name = soft ? softirq_name(number) : wake_irq_name(wake->names, number);

	return memory_format("%s %s", soft ? "softirq" : "irq", name ? name : "?");
}

static char *piece_name(const struct wake *wake, const struct thread *thread, const struct piece *piece)
{
	const char *comm = wake_comm(wake, thread);
	char *interrupt, *name;

	switch (piece->what) {
	case WHAT_RUN:
		return memory_format("%s: running", comm);
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
		return memory_format("unknown: state of %s", comm);
	}
}

static char *piece_label(const struct wake *wake, const struct thread *thread, const struct piece *piece)
{
	const char *began = piece->flags & PIECE_ASSUMED ? ", began before the data" : "";
	const char *comm = wake_comm(wake, thread);

	if (piece->flags & PIECE_LOST)
		return memory_format("%s/%d, events were lost", comm, thread->tid);
	switch (piece->what) {
	case WHAT_RUN:
		return memory_format("%s/%d on CPU %u%s", comm, thread->tid, piece->cpu, began);
	case WHAT_RUNNABLE:
		return memory_format("%s/%d waiting for CPU %u%s", comm, thread->tid, piece->cpu, began);
	case WHAT_WAIT:
		return memory_format("%s/%d in %s%s", comm, thread->tid, wake_call_name(wake->names, piece->call), began);
	default:
		return memory_format("%s/%d%s", comm, thread->tid, began);
	}
}

/* What the holder of a CPU did there while another waited for it; an idle CPU holds up nobody. */
static void add_holder(struct walk *walk, const struct thread *holder, size_t at, int64_t from, int64_t to,
		       const struct thread *waiter, int32_t node)
{
	const struct wake *wake = walk->wake;
	const struct piece *piece = &holder->pieces.items[at];
	bool interrupt = piece->what == WHAT_IRQ || piece->what == WHAT_SOFTIRQ;
	int64_t start = later(from, piece->start), end = sooner(to, thread_piece_end(wake, holder, at));
	char *who;
	int32_t source;

	if (start >= end || (!interrupt && (piece->what != WHAT_RUN || holder->tid == TID_IDLE)))
		return;
	who = interrupt ? interrupt_name(wake, piece->what == WHAT_SOFTIRQ, piece->cause_index)
			: memory_format("%s", wake_comm(wake, holder));
	source = new_node(walk, piece->what, start, end, holder->tid,
			  memory_format("%s: on CPU %u while %s was runnable", who, piece->cpu, wake_comm(wake, waiter)),
			  interrupt ? NULL : memory_format("%s/%d on CPU %u", who, holder->tid, piece->cpu));
	free(who);
	graph_edge(walk->graph, source, node, EDGE_CPU, TIME_NONE);
}

static size_t tenure_at(const struct cpu *cpu, int64_t ts)
{
	size_t low = 0, high = cpu->tenures.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cpu->tenures.items[middle].start <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static void add_holders(struct walk *walk, const struct thread *waiter, const struct piece *piece, int32_t node,
			int64_t from, int64_t to)
{
	const struct wake *wake = walk->wake;
	const struct cpu *cpu = piece->cpu < wake->cpus.count ? wake->cpus.items[piece->cpu] : NULL;

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
		holder = thread_at(walk, tenure->thread);
		at = thread_find(holder, start);
		for (at = at ? at - 1 : 0; at < holder->pieces.count && holder->pieces.items[at].start < end; at++)
			add_holder(walk, holder, at, start, end, waiter, node);
	}
}

/* The node of a piece, made on the first call. */
static int32_t piece_node(struct walk *walk, const struct thread *thread, size_t at)
{
	struct piece *piece = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->wake, thread, at);

	if (piece->node != NODE_NONE)
		return piece->node;
	piece->node = new_node(walk, piece->what, piece->start, end, thread->tid, piece_name(walk->wake, thread, piece),
			       piece_label(walk->wake, thread, piece));
	*ARRAY_ADD(&walk->pieces) = piece;
	if (piece->what == WHAT_RUNNABLE)
		add_holders(walk, thread, piece, piece->node, later(piece->start, walk->graph->from),
			    sooner(end, walk->graph->to));
	return piece->node;
}

static const char *operation(const struct request *request)
{
	switch (request->rwbs[0]) {
	case 'R':
		return "read";
	case 'W':
		return "write";
	case 'D':
		return "discard";
	case 'F':
		return request->rwbs[1] == 'W' ? "write" : "flush";
	default:
		return "request";
	}
}

static const char *owner(const struct walk *walk, const struct request *request)
{
	return request->submitter == INDEX_NONE ? "unknown"
						: wake_comm(walk->wake, walk->wake->threads.items[request->submitter]);
}

static int32_t owner_tid(const struct walk *walk, const struct request *request)
{
	return request->submitter == INDEX_NONE ? 0 : walk->wake->threads.items[request->submitter]->tid;
}

static int32_t service_node(struct walk *walk, int32_t index)
{
	struct request *request = &walk->wake->requests.items[index];
	char dev[48], disk[64];

	if (request->service_node != NODE_NONE)
		return request->service_node;
	device_spell(dev, request->disk);
	events_device_name(walk->wake->events, request->disk, disk, sizeof(disk));
	request->service_node =
		new_node(walk, WHAT_SERVICE, request->issued,
			 request->completed == TIME_NONE ? walk->wake->now : request->completed, owner_tid(walk, request),
			 memory_format("%s: %s of %s in service", owner(walk, request), operation(request), dev),
			 memory_format("%s of %s sector %llu by %s/%d", operation(request), disk,
				       (unsigned long long)request->sector, owner(walk, request), owner_tid(walk, request)));
	*ARRAY_ADD(&walk->requests) = index;
	return request->service_node;
}

/* Requests that were served while this one was queued; those issued earlier than any service lasted are over. */
static void add_served(struct walk *walk, int32_t index, int32_t node, int64_t from, int64_t to)
{
	const struct disk *disk = request_disk(walk->wake, walk->wake->requests.items[index].disk);
	size_t at = disk->issued.count;

	while (at-- > 0) {
		int32_t other = disk->issued.items[at];
		const struct request *request = &walk->wake->requests.items[other];

		if (request->issued == TIME_NONE || request->issued >= to || other == index)
			continue;
		if (request->completed != TIME_NONE && request->completed <= from) {
			if (request->issued < from - disk->longest)
				break;
			continue;
		}
		graph_edge(walk->graph, service_node(walk, other), node, EDGE_QUEUE, TIME_NONE);
	}
}

static int32_t queue_node(struct walk *walk, int32_t index)
{
	struct request *request = &walk->wake->requests.items[index];
	int64_t end = request->issued == TIME_NONE ? walk->wake->now : request->issued;
	const char *scheduler = events_device_scheduler(walk->wake->events, request->disk);
	char dev[48], disk[64];

	if (request->queue_node != NODE_NONE)
		return request->queue_node;
	device_spell(dev, request->disk);
	events_device_name(walk->wake->events, request->disk, disk, sizeof(disk));
	request->queue_node = new_node(
		walk, WHAT_QUEUE, request->queued, end, owner_tid(walk, request),
		memory_format("%s: %s of %s queued", owner(walk, request), operation(request), dev),
		*scheduler ? memory_format("queued in %s of %s", scheduler, disk) : memory_format("queued before %s", disk));
	*ARRAY_ADD(&walk->requests) = index;
	add_served(walk, index, request->queue_node, later(request->queued, walk->graph->from), sooner(end, walk->graph->to));
	return request->queue_node;
}

/* A cause that has no history of its own: a node that lasts as long as the wait that it ended. */
static int32_t bare_cause(struct walk *walk, const struct thread *thread, const struct piece *wait, int64_t end)
{
	const struct wake *wake = walk->wake;
	const char *comm = wake_comm(wake, thread), *call = wake_call_name(wake->names, wait->call);
	bool soft = wait->cause == CAUSE_SOFTIRQ;
	char *interrupt, *name;

	if (wait->cause == CAUSE_TIMER)
		return new_node(walk, WHAT_TIMER, wait->start, end, 0, memory_format("timer: %s of %s", call, comm), NULL);
	if (wait->cause != CAUSE_IRQ && !soft)
		return new_node(walk, WHAT_UNKNOWN, wait->start, end, 0,
				memory_format("unknown: %s of %s", wait->call == CALL_NONE ? "wait" : call, comm), NULL);
	interrupt = interrupt_name(wake, soft, wait->cause_index);
	name = memory_format("%s: outside event for %s", interrupt, comm);
	free(interrupt);
	return new_node(walk, soft ? WHAT_SOFTIRQ : WHAT_IRQ, wait->start, end, 0, name, NULL);
}

/* A soft interrupt that was handled after its raiser had left the CPU: the time in between is nobody's. */
static int32_t raised_cause(struct walk *walk, const struct thread *thread, const struct raise *raise, int64_t end)
{
	return new_node(walk, WHAT_SOFTIRQ, raise->ts, end, 0,
			memory_format("softirq: on its way to %s", wake_comm(walk->wake, thread)), NULL);
}

static void walk_wait(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	const struct piece *wait = &thread->pieces.items[at];
	int64_t end = thread_piece_end(walk->wake, thread, at);
	const struct raise *raise;

	errand.after = node;
	errand.ts = end;
	errand.at = sooner(errand.at, end);
	errand.floor = later(errand.floor, wait->start);
	errand.edge = wait->cause == CAUSE_TIMER ? EDGE_TIMER : EDGE_WAKE;
	errand.index = wait->cause_index;
	switch (wait->cause) {
	case CAUSE_REQUEST:
		errand.target = TARGET_REQUEST;
		break;
	case CAUSE_THREAD:
		errand.target = TARGET_THREAD;
		break;
	case CAUSE_RAISED:
		raise = &walk->wake->raises.items[wait->cause_index];
		errand.after = raised_cause(walk, thread, raise, end);
		link_nodes(walk, errand.after, node, EDGE_WAKE, end);
		errand.target = TARGET_THREAD;
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.edge = EDGE_SEQ;
		break;
	default:
		link_nodes(walk, bare_cause(walk, thread, wait, end), node, errand.edge, end);
		return;
	}
	*ARRAY_ADD(&walk->errands) = errand;
}

/* Before its first piece a thread was not; who made it carries on. */
static void walk_birth(struct walk *walk, const struct thread *thread, int32_t node, struct errand errand)
{
	if (thread->born == TIME_NONE || thread->parent == INDEX_NONE)
		return;
	*ARRAY_ADD(&walk->errands) = (struct errand){.target = TARGET_THREAD, .index = thread->parent, .at = thread->born,
						     .floor = errand.floor, .after = node, .edge = EDGE_ASYNC,
						     .ts = thread->born};
}

/*
 * One more than the index of the piece in which something happened at this time. Whoever caused something was running:
 * rather the run that ended then than what began then. The target is what it was until then.
 */
static size_t piece_at(const struct thread *thread, const struct errand *errand)
{
	size_t at = thread_find(thread, errand->at);
	const struct piece *piece = &thread->pieces.items[at - 1];

	if (at > 1 && piece->start == errand->at && (piece->what != WHAT_RUN || errand->after == NODE_NONE))
		at--;
	return at;
}

static void walk_thread(struct walk *walk, struct errand errand)
{
	const struct thread *thread = thread_at(walk, errand.index);
	size_t at = thread->pieces.count ? piece_at(thread, &errand) : 0;
	int32_t node, after = errand.after;

	while (at-- > 0) {
		const struct piece *piece = &thread->pieces.items[at];
		bool seen = piece->node != NODE_NONE;

		node = piece_node(walk, thread, at);
		link_nodes(walk, node, after, errand.edge, errand.ts);
		/* A wait met again is one in a ring of waits, as clocks without resolution may show. */
		if (piece->what == WHAT_WAIT && piece->start < errand.at && !seen)
			walk_wait(walk, thread, at, node, errand);
		if (piece->start <= errand.floor || piece->flags & PIECE_LOST)
			return;
		after = node;
		errand.at = sooner(errand.at, piece->start);
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
	}
	if (after != errand.after)
		walk_birth(walk, thread, after, errand);
}

static void walk_request(struct walk *walk, struct errand errand)
{
	const struct request *request = &walk->wake->requests.items[errand.index];
	int32_t node = NODE_NONE;

	if (request->issued != TIME_NONE && request->issued < errand.at) {
		node = service_node(walk, errand.index);
		link_nodes(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
		if (request->issued <= errand.floor)
			return;
	}
	if (request->submitter == INDEX_NONE)
		return;
	if (request->issued != request->queued) {
		node = queue_node(walk, errand.index);
		link_nodes(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
	}
	if (request->queued <= errand.floor || node == NODE_NONE)
		return;
	*ARRAY_ADD(&walk->errands) = (struct errand){.target = TARGET_THREAD, .index = request->submitter,
						     .at = request->queued, .floor = errand.floor, .after = errand.after,
						     .edge = EDGE_SEQ, .ts = TIME_NONE};
}

static void walk_all(struct walk *walk)
{
	while (walk->errands.count) {
		struct errand errand = walk->errands.items[--walk->errands.count];

		if (errand.target == TARGET_REQUEST)
			walk_request(walk, errand);
		else
			walk_thread(walk, errand);
	}
}

static void walk_end(struct walk *walk)
{
	for (size_t i = 0; i < walk->pieces.count; i++)
		walk->pieces.items[i]->node = NODE_NONE;
	for (size_t i = 0; i < walk->requests.count; i++) {
		struct request *request = &walk->wake->requests.items[walk->requests.items[i]];

		request->service_node = request->queue_node = NODE_NONE;
	}
	free(walk->errands.items);
	free(walk->pieces.items);
	free(walk->requests.items);
}

struct graph *wake_graph(struct wake *wake, const char *id, enum target target, int32_t index, int64_t from, int64_t to)
{
	struct graph *graph = graph_new(GRAPH_WAKE, id);
	struct walk walk = {.wake = wake, .graph = graph};

	graph->from = from;
	graph->to = to;
	if (target != TARGET_NONE)
		*ARRAY_ADD(&walk.errands) = (struct errand){
			.target = target, .index = index, .at = to, .floor = from, .after = NODE_NONE, .ts = TIME_NONE};
	request_settle(wake);
	walk_all(&walk);
	if (graph->target == NODE_NONE)
		graph->target = new_node(&walk, WHAT_UNKNOWN, from, to, 0, memory_format("unknown: not in the data"), NULL);
	walk_end(&walk);
	return graph;
}
