#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/part.h"
#include "wake/softirq.h"
#include "wake/walk.h"

/*
 * Packets that a shaper holds back. A packet that waited in a queue of packets, until a timer let it out, was sent by the thread that put it
 * there. The packets before it in the queue were let out first, so the threads that sent those have filled the queue.
 *
 * But a queue may also hold back each packet for the same time, as one that imitates a slow line does: then a packet that found the queue empty was
 * held back, too. And a queue may have an order of its own: then a later packet was let out earlier. For such queues, and for those that
 * were not empty when the data began, only the shaper is named.
 */

enum { CAUSE_SHAPED = CAUSE(PART_SHAPER, 0) }; /* index: of a packet */

enum { PACKETS_MAX = 1 << 18, QUEUES_MAX = 1 << 10 }; /* of a window; nothing is known of further ones */

struct packet_key {
	uint64_t address;
	int32_t queue; /* index */
	int32_t pad;
};

struct packet {
	struct packet_key key;
	int32_t index;
	int32_t owner;	       /* index of the thread that sent it; INDEX_NONE: not known, or it was in the queue before the data */
	int64_t sent, let_out; /* TIME_NONE: before the data; not yet */
	size_t place;	       /* index among the packets that its queue has let out */
	UT_hash_handle hh;
};

struct shaper { /* a queue of packets */
	uint64_t interface, handle;
	bool bulk; /* it lets out several packets at once, and the events name only one of them */
	ARRAY(struct packet *) out; /* that it let out, in this order */
};

struct shapers { /* of the window */
	ARRAY(struct packet *) packets;
	struct packet *held; /* those in a queue, by key */
	ARRAY(struct shaper) queues;
};

struct on_cpu { /* packets that were let out on this CPU, and are not received yet; are being received */
	int32_t ready, received; /* index of the last one; INDEX_NONE: there is none, or several threads sent them */
	bool mixed;
};

static struct shapers *of(const struct wake *wake)
{
	return wake->of[PART_SHAPER];
}

static struct on_cpu *on_cpu(const struct cpu *cpu)
{
	return cpu->of[PART_SHAPER];
}

static void cpu_lost(struct cpu *cpu)
{
	*on_cpu(cpu) = (struct on_cpu){INDEX_NONE, INDEX_NONE, false};
}

/* What the lost events let out is not known. */
static void lost(struct wake *wake, int64_t from)
{
	(void)from;
	HASH_CLEAR(hh, of(wake)->held);
	for (size_t i = 0; i < of(wake)->queues.count; i++)
		of(wake)->queues.items[i].out.count = 0;
}

static void forget(struct wake *wake)
{
	struct shapers *shapers = of(wake);

	HASH_CLEAR(hh, shapers->held);
	for (size_t i = 0; i < shapers->packets.count; i++)
		free(shapers->packets.items[i]);
	for (size_t i = 0; i < shapers->queues.count; i++)
		free(shapers->queues.items[i].out.items);
	ARRAY_FREE(&shapers->packets);
	ARRAY_FREE(&shapers->queues);
}

/* The index of the queue; INDEX_NONE: there are too many. */
static int32_t queue_of(struct wake *wake, uint64_t interface, uint64_t handle)
{
	struct shapers *shapers = of(wake);

	for (size_t i = 0; i < shapers->queues.count; i++)
		if (shapers->queues.items[i].interface == interface && shapers->queues.items[i].handle == handle)
			return (int32_t)i;
	if (shapers->queues.count == QUEUES_MAX)
		return INDEX_NONE;
	*ARRAY_ADD(&shapers->queues) = (struct shaper){.interface = interface, .handle = handle};
	return (int32_t)shapers->queues.count - 1;
}

static struct packet *new_packet(struct wake *wake, const struct packet_key *key)
{
	struct packet *packet;

	if (of(wake)->packets.count == PACKETS_MAX)
		return NULL;
	packet = NEW(struct packet);
	packet->key = *key;
	packet->index = (int32_t)of(wake)->packets.count;
	packet->owner = INDEX_NONE;
	packet->sent = packet->let_out = TIME_NONE;
	*ARRAY_ADD(&of(wake)->packets) = packet;
	return packet;
}

enum { INTERFACE, HANDLE, ADDRESS, PACKETS };

static struct packet_key key_of(const struct at *at)
{
	return (struct packet_key){.address = (uint64_t)at_number(at, ADDRESS),
				   .queue = queue_of(at->wake, (uint64_t)at_number(at, INTERFACE), (uint64_t)at_number(at, HANDLE))};
}

static void on_enqueue(struct at *at)
{
	struct packet_key key = key_of(at);
	struct packet *packet = key.queue == INDEX_NONE ? NULL : new_packet(at->wake, &key), *old;

	if (!packet)
		return;
	packet->owner = context_doer(at->wake, at->cpu, at_flags(at)).thread;
	packet->sent = at->wake->now;
	HASH_REPLACE(hh, of(at->wake)->held, key, sizeof(packet->key), packet, old);
}

static void on_dequeue(struct at *at)
{
	struct packet_key key = key_of(at);
	struct on_cpu *here = on_cpu(at->cpu);
	struct shaper *queue;
	struct packet *packet;
	int32_t before;

	if (!key.address || key.queue == INDEX_NONE)
		return; /* none is due */
	queue = &of(at->wake)->queues.items[key.queue];
	queue->bulk |= at_number(at, PACKETS) > 1;
	HASH_FIND(hh, of(at->wake)->held, &key, sizeof(key), packet);
	if (packet)
		HASH_DEL(of(at->wake)->held, packet);
	else
		packet = new_packet(at->wake, &key);
	if (!packet)
		return;
	packet->let_out = at->wake->now;
	packet->place = queue->out.count;
	*ARRAY_ADD(&queue->out) = packet;
	before = here->ready == INDEX_NONE ? packet->owner : of(at->wake)->packets.items[here->ready]->owner;
	here->mixed |= before != packet->owner;
	here->ready = packet->index;
}

/* What was let out on this CPU is received there. */
static void on_softirq_entry(struct at *at)
{
	enum { VEC };
	struct on_cpu *here = on_cpu(at->cpu);

	if (at_number(at, VEC) != SOFTIRQ_NET_RX)
		return;
	here->received = here->mixed ? INDEX_NONE : here->ready;
	here->ready = INDEX_NONE;
	here->mixed = false;
}

static void on_softirq_exit(struct at *at)
{
	enum { VEC };

	if (at_number(at, VEC) == SOFTIRQ_NET_RX)
		on_cpu(at->cpu)->received = INDEX_NONE;
}

/* A timer, or a thread that sent another packet, let out the packet that woke the thread. */
static void wakes(struct wake *wake, struct waking *waking)
{
	const struct raise *raise = context_raiser(waking->cpu);
	int32_t index = raise ? on_cpu(waking->cpu)->received : INDEX_NONE;
	int32_t owner = index == INDEX_NONE ? INDEX_NONE : of(wake)->packets.items[index]->owner;

	if (owner == INDEX_NONE || waking->cause == CAUSE_UNKNOWN || (waking->cause != CAUSE_SENT && raise->thread == owner))
		return;
	waking->cause = CAUSE_SHAPED;
	waking->index = index;
}

static struct doer ender(const struct wake *wake, const struct piece *wait)
{
	const struct packet *packet = of(wake)->packets.items[wait->cause_index];

	return (struct doer){packet->owner, packet->sent};
}

/* --- the walk ------------------------------------------------------------------------------------------------------------ */

/* The place of the first packet that was let out while this one was held back. */
static size_t first_meanwhile(const struct shaper *queue, const struct packet *packet)
{
	size_t first = packet->place;

	while (first > 0 && queue->out.items[first - 1]->let_out > packet->sent)
		first--;
	return first;
}

/* Tells whether no packet that came later was let out meanwhile. */
static bool is_in_order(const struct shaper *queue, const struct packet *packet, size_t first)
{
	for (size_t i = first; i < packet->place; i++)
		if (queue->out.items[i]->sent != TIME_NONE && queue->out.items[i]->sent > packet->sent)
			return false;
	return true;
}

/* The last packet up to that place that found the queue empty. NULL: not known. */
static const struct packet *found_empty(const struct shaper *queue, size_t place)
{
	for (;; place--) {
		const struct packet *packet = queue->out.items[place];

		if (packet->sent == TIME_NONE)
			return NULL;
		if (place == 0 || queue->out.items[place - 1]->let_out <= packet->sent)
			return packet;
	}
}

/* If a packet that found the queue empty was held back for at most this part of a later packet's time, others held the later one back. */
enum { ALONE = 2 };

/* Tells whether others held the packet back; *first: the place of the first of them. */
static bool is_behind(const struct wake *wake, const struct packet *packet, size_t *first)
{
	const struct shaper *queue = &of(wake)->queues.items[packet->key.queue];
	const struct packet *alone;

	if (queue->bulk || packet->place >= queue->out.count || queue->out.items[packet->place] != packet)
		return false;
	*first = first_meanwhile(queue, packet);
	if (*first == packet->place || !is_in_order(queue, packet, *first))
		return false;
	alone = found_empty(queue, *first);
	return alone && (alone->let_out - alone->sent) <= (packet->let_out - packet->sent) / ALONE;
}

static const char *name_of(const struct wake *wake, const struct packet *packet)
{
	return packet->owner == INDEX_NONE ? NULL : wake_comm_at(wake, wake->threads.items[packet->owner], packet->sent);
}

static int32_t tid_of(const struct wake *wake, const struct packet *packet)
{
	return packet->owner == INDEX_NONE ? 0 : wake->threads.items[packet->owner]->tid;
}

/* A node of the packet in its queue, or being let out. */
static int32_t packet_node(struct cut *cut, const struct packet *packet, enum deed_kind kind, enum node_what what, int64_t start, int64_t end)
{
	const struct shaper *queue = &of(cut->wake)->queues.items[packet->key.queue];
	struct deed deed = deed_of(kind);
	char device[32];

	snprintf(device, sizeof(device), "interface %u", (unsigned)queue->interface);
	deed.dev = device;
	deed.request = "packet";
	*(kind == DEED_SERVICE ? &deed.who : &deed.whom) = name_of(cut->wake, packet);
	return new_node(cut, what, start, end, tid_of(cut->wake, packet), &deed);
}

/* The packet waits while the others, from the first one on, are let out: one node for those that one thread sent in a row. */
static int32_t behind_node(struct cut *cut, const struct packet *packet, size_t first)
{
	struct packet *const *out = of(cut->wake)->queues.items[packet->key.queue].out.items;
	int64_t start = packet->sent, until = out[packet->place - 1]->let_out;
	int32_t node = packet_node(cut, packet, DEED_HOLD_BACK, WHAT_QUEUE, start, until);

	for (size_t i = first; i < packet->place; i++) {
		if (i + 1 < packet->place && out[i + 1]->owner == out[i]->owner)
			continue;
		graph_edge(cut->graph, packet_node(cut, out[i], DEED_SERVICE, WHAT_SERVICE, start, out[i]->let_out), node, EDGE_QUEUE, TIME_NONE);
		start = out[i]->let_out;
	}
	return node;
}

/* What remains of the time is the shaper's own. */
static int32_t shaped_node(struct walk *walk, const struct packet *packet, int64_t start, const struct errand *errand)
{
	const struct thread *whom = walk->cut.wake->threads.items[errand->asker];
	struct deed deed = deed_of(DEED_PACKET);
	int32_t node;

	deed.purpose = "packet that a shaper held back";
	deed.whom = wake_comm_at(walk->cut.wake, whom, packet->sent);
	node = new_node(&walk->cut, WHAT_TIMER, start, errand->ts, tid_of(walk->cut.wake, packet), &deed);
	walk->cut.graph->nodes.items[node].whom_tid = whom->tid;
	return node;
}

static void walk_packet(struct walk *walk, struct errand errand)
{
	const struct packet *packet = of(walk->cut.wake)->packets.items[errand.index];
	size_t first = packet->place;
	bool behind = is_behind(walk->cut.wake, packet, &first);
	int64_t head = behind ? of(walk->cut.wake)->queues.items[packet->key.queue].out.items[packet->place - 1]->let_out : packet->sent;
	int32_t node = shaped_node(walk, packet, sooner(head, errand.ts), &errand);

	walk_link(walk, node, errand.after, EDGE_TIMER, errand.ts);
	errand.after = node;
	errand.edge = EDGE_SEQ;
	errand.ts = TIME_NONE;
	if (behind && head > errand.floor) {
		node = behind_node(&walk->cut, packet, first);
		walk_link(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
	}
	errand.part = PART_SCHED;
	errand.index = packet->owner;
	errand.at = sooner(errand.at, packet->sent);
	if (errand.at > errand.floor)
		walk_later(walk, errand);
}

/* A wait in vain has the packet that ended the last wait (retry.c), but was over before that was let out, and perhaps before it was sent. */
static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	int32_t index = thread->pieces.items[at].cause_index;
	const struct packet *packet = of(walk->cut.wake)->packets.items[index];
	bool sent = packet->sent < errand.ts;

	(void)node;
	errand.part = sent ? PART_SHAPER : PART_SCHED;
	errand.index = sent ? index : packet->owner;
	errand.asker = thread->index;
	walk_later(walk, errand);
}

static const struct part_event events[] = {
	{"qdisc:qdisc_enqueue", on_enqueue, {"ifindex", "handle", "skbaddr"}},
	{"qdisc:qdisc_dequeue", on_dequeue, {"ifindex", "handle", "skbaddr", "packets"}},
	{"irq:softirq_entry", on_softirq_entry, {"vec"}},
	{"irq:softirq_exit", on_softirq_exit, {"vec"}},
	{0},
};

const struct part shaper_part = {
	.events = events,
	.window = sizeof(struct shapers),
	.cpu = sizeof(struct on_cpu),
	.forget = forget,
	.lost = lost,
	.cpu_lost = cpu_lost,
	.wakes = wakes,
	.ender = ender,
	.walk = walk_packet,
	.explain = explain,
};
