#include "wake/peer.h"

#include "base/memory.h"
#include "base/number.h"
#include "wake/ask.h"
#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/early_wait.h"
#include "wake/node.h"
#include "wake/part.h"
#include "wake/reason.h"
#include "wake/walk.h"

/* A thread has waited for data of this process since before the data. */
struct peer {
	int32_t waiter, process;
	int64_t seen;	/* when */
	bool alone;	/* the process had one thread */
	int16_t reason; /* of the wait in which that was; CALL_NONE: it is not known */
};

/* Peers that are kept; nothing is known of further ones. */
enum { PEERS_MAX = 1 << 14 };

struct peers {
	ARRAY(struct peer) list;
};

static struct peers *of(const struct wake *wake)
{
	return wake->of[PART_PEER];
}

static int read_traced(struct wake *wake, const struct fields *fields)
{
	struct peer peer = {.alone = fields_is(fields, "takes", "yes")};
	int64_t waiter = 0, process = 0;
	int found = fields_integer(fields, "waiter", &waiter);

	if (found > 0)
		found = fields_integer(fields, "peer", &process);
	if (found > 0)
		found = fields_time(fields, "seen", &peer.seen);
	if (found <= 0)
		return found;
	if (waiter <= 0 || waiter > INT32_MAX || process <= 0 || process > INT32_MAX || of(wake)->list.count == PEERS_MAX)
		return 0;
	peer.waiter = (int32_t)waiter;
	peer.process = (int32_t)process;
	peer.reason = early_wait_reason(wake, fields);
	*ARRAY_ADD(&of(wake)->list) = peer;
	return 0;
}

static void forget_meanings(struct wake *wake)
{
	ARRAY_FREE(&of(wake)->list);
}

static const struct peer *find(const struct wake *wake, int32_t waiter)
{
	for (size_t i = 0; i < of(wake)->list.count; i++)
		if (of(wake)->list.items[i].waiter == waiter)
			return &of(wake)->list.items[i];
	return NULL;
}

/*
 * The peer of a wait that nothing has ended. It counts only if all the data since it was seen are here, and not if the two wait for each other: then
 * their connection is idle.
 */
static const struct peer *peer_in(const struct wake *wake, const struct thread *thread, size_t wait)
{
	const struct peer *peer = thread->pieces.items[wait].flags & PIECE_ASSUMED && ask_is_open(wake, thread, wait) ? find(wake, thread->tid) : NULL;
	const struct peer *back = peer ? find(wake, peer->process) : NULL;

	if (!peer || core_since(wake) > peer->seen || !events_tgid(wake->events, peer->process))
		return NULL;
	return back && back->process == events_tgid(wake->events, thread->tid) ? NULL : peer;
}

bool peer_known(const struct wake *wake, const struct thread *thread, size_t wait)
{
	return peer_in(wake, thread, wait) != NULL;
}

/* The thread of the peer whose doings explain the wait. NULL: the peer has several threads, or nothing is known of its only one. */
static const struct thread *doer_of(struct wake *wake, const struct peer *peer)
{
	struct thread *thread = core_thread(wake, peer->process);

	if (!peer->alone || thread->forked || (thread_unseen(thread) && !early_wait_begin(wake, thread, peer->reason)))
		return NULL;
	return thread;
}

static int32_t unseen_node(struct cut *cut, const struct peer *peer, int64_t from, int64_t to)
{
	struct deed deed = deed_of(DEED_UNSEEN);
	int32_t index;

	deed.whom = wake_comm_at(cut->wake, core_thread(cut->wake, peer->process), from);
	index = new_node(cut, WHAT_UNKNOWN, from, to, peer->process, &deed);
	cut->graph->nodes.items[index].whom_tid = peer->process;
	return index;
}

static void explain(struct walk *walk, const struct thread *thread, size_t wait, int32_t node, struct errand errand)
{
	const struct peer *peer = peer_in(walk->cut.wake, thread, wait);
	const struct thread *doer = doer_of(walk->cut.wake, peer);

	if (!doer) {
		walk_link(walk, unseen_node(&walk->cut, peer, errand.floor, errand.at), node, EDGE_WAKE, errand.ts);
		return;
	}
	errand.part = PART_SCHED;
	errand.index = doer->index;
	walk_later(walk, errand);
}

static const struct part_record records[] = {{KIND_TRACED, read_traced}, {0}};

const struct part peer_part = {
	.records = records,
	.window = sizeof(struct peers),
	.forget_meanings = forget_meanings,
	.free = forget_meanings,
	.explain = explain,
};
