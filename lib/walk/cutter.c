#include "walk/cutter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wake/ask.h"
#include "wake/context.h"
#include "wake/name.h"
#include "wake/request.h"
#include "wake/retry.h"
#include "wake/softirq.h"
#include "wake/stack.h"
#include "wake/syscall.h"
#include "walk/ipc.h"
#include "walk/wait_identity.h"
#include "walk/whole_words.h"

enum {
	PIECES_KEPT = 16, PIECES_MOST = 64, /* of a thread in the wake core: a cut that finds MOST drops all but KEPT */
	SLICES_KEPT = 64, SLICES_MOST = 4096, /* likewise of a CPU, at a switch */
	SOURCE_STEPS = 64,		    /* how many segments to go back for the source of a wake-up */
};

struct cutter {
	struct wake *wake;
	struct whole *whole;
	struct identities *identities;
	struct ipc *ipc;
	struct open_segments *open_segments;
	size_t gaps; /* how many note_gaps() has seen */
	uint32_t word_timer, word_device, word_outside;
};

struct cutter *cutter_new(struct wake *wake, struct open_segments *open_segments, struct identities *identities)
{
	struct cutter *cutter = NEW(struct cutter);

	cutter->wake = wake;
	cutter->open_segments = open_segments;
	cutter->identities = identities;
	cutter->ipc = ipc_new();
	return cutter;
}

void cutter_free(struct cutter *cutter)
{
	if (!cutter)
		return;
	ipc_free(cutter->ipc);
	free(cutter);
}

void cutter_begin(struct cutter *cutter, struct whole *whole)
{
	ipc_lost(cutter->ipc);
	cutter->gaps = 0;
	cutter->whole = whole;
	cutter->word_timer = whole_word(whole, "woken=timer");
	cutter->word_device = whole_word(whole, "woken=device");
	cutter->word_outside = whole_word(whole, "woken=outside");
}

static void add_wait_word(struct cutter *cutter, struct open_segment *open, uint32_t number)
{
	if (number)
		segment_contents_add(&open->contents, identities_wait(cutter->identities, number));
}

/* The identity of the wait that begins with this piece of the thread; adds it to the words of the segment, too. */
static uint32_t identify(struct cutter *cutter, const struct thread *thread, struct open_segment *open, size_t wait)
{
	uint32_t number;

	open->call.process = open_segment_process(cutter->open_segments, thread, open)->tgid;
	number = identities_of(cutter->identities, thread, wait, &open->call);
	add_wait_word(cutter, open, number);
	return number;
}

/* The segment in which the thread (index in the wake core) was at ts; NUMBER_NONE: too far back, or not known. */
static uint32_t segment_of(struct cutter *cutter, int32_t index, int64_t ts)
{
	struct open_segment *open = open_segment_of(cutter->open_segments, cutter->wake->threads.items[index]);
	uint32_t segment = open->segment != NUMBER_NONE ? open->segment : cutter->whole->threads.items[open->thread].last;

	for (int step = 0; segment != NUMBER_NONE && step < SOURCE_STEPS; step++) {
		if (segment_at(cutter->whole, segment)->start <= ts)
			return segment_at(cutter->whole, segment)->flags & SEGMENT_LOST ? NUMBER_NONE : segment;
		segment = segment_at(cutter->whole, segment)->before;
	}
	return NUMBER_NONE;
}

struct end { /* of a wait */
	enum ending ended;
	uint32_t from;	/* segment that ended it; NUMBER_NONE: none */
	uint32_t woken; /* word for what ended it; 0: none */
	bool weak;
};

/* A wait that a timer ended: the thread's own timer, unless another thread is known to have armed it. */
static struct end timer_end(struct cutter *cutter, const struct thread *thread, uint32_t segment, const struct piece *wait)
{
	const struct raise *raise =
		wait->cause == CAUSE_TIMER && wait->cause_index != INDEX_NONE ? &cutter->wake->raises.items[wait->cause_index] : NULL;
	struct end end = {ENDED_TIMER, segment, cutter->word_timer, false};
	uint32_t from;

	if (raise && raise->thread != INDEX_NONE) {
		from = segment_of(cutter, raise->thread, raise->ts);
		if (from != NUMBER_NONE || raise->thread != thread->index)
			end.from = from;
	}
	return end;
}

static struct end end_of(struct cutter *cutter, const struct thread *thread, const struct open_segment *open, uint32_t segment,
			 const struct piece *wait)
{
	struct doer doer = wait->flags & PIECE_TICK ? (struct doer){INDEX_NONE, TIME_NONE} : core_ender(cutter->wake, wait);
	struct thread *source;

	if (wait->flags & PIECE_TICK)
		return timer_end(cutter, thread, segment, &(struct piece){.cause = CAUSE_NONE});
	if (wait->flags & PIECE_BROKEN)
		return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false};
	if (doer.thread != INDEX_NONE && cutter->wake->threads.items[doer.thread]->tid != TID_IDLE) {
		uint32_t from = segment_of(cutter, doer.thread, doer.ts);
		bool sends = open->call.reason != CALL_NONE && identities_call(cutter->identities, open->call.reason)->sends;

		source = cutter->wake->threads.items[doer.thread];
		return (struct end){ENDED_THREAD, from, open_segment_process(cutter->open_segments, source, open_segment_of(cutter->open_segments, source))->woken,
				    wait->flags & PIECE_ROOM && !sends};
	}
	switch (wait->cause) {
	case CAUSE_TIMER:
		return timer_end(cutter, thread, segment, wait);
	case CAUSE_IRQ:
	case CAUSE_REQUEST:
		return (struct end){ENDED_DEVICE, NUMBER_NONE, cutter->word_device, false};
	case CAUSE_SOFTIRQ:
		if (!softirq_carries(wait->cause_index))
			return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false}; /* the kernel's own housekeeping */
		/* fall through */
	case CAUSE_SENT:
	case CAUSE_DEFERRED:
		return (struct end){ENDED_OUTSIDE, NUMBER_NONE, cutter->word_outside, false};
	default:
		return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false};
	}
}

/* The index of the thread's piece at ts; before all pieces, of the first. */
static size_t piece_at(const struct thread *thread, int64_t ts)
{
	size_t at = thread_find(thread, ts);

	return at > 0 ? at - 1 : 0;
}

/* Adds edges into a wait from the segment that ended it, and from `sender`, which sent the bytes that it received (NUMBER_NONE: not known). */
static void add_edges(struct cutter *cutter, uint32_t number, const struct end *end, uint32_t sender, int64_t ts)
{
	bool handled = segment_at(cutter->whole, number)->flags & SEGMENT_HANDLER ||
		       (end->from != NUMBER_NONE && end->from != number && segment_at(cutter->whole, end->from)->flags & SEGMENT_HANDLER);

	if (end->from != NUMBER_NONE)
		whole_edge(cutter->whole, end->from, number, end->ended == ENDED_TIMER ? EDGE_TIMER : EDGE_WAKE, ts, end->weak || handled);
	if (sender != NUMBER_NONE && (sender != end->from || end->weak))
		whole_edge(cutter->whole, sender, number, EDGE_IPC, later(ts, segment_at(cutter->whole, sender)->start), false);
}

/* Ends the segment with a wait, made of the thread's sleeps since its call began; begins another. Does nothing if there was no sleep after all. */
static void cut(struct cutter *cutter, struct thread *thread, const int64_t *ret, uint32_t sender)
{
	struct open_segment *open = open_segment_of(cutter->open_segments, thread);
	size_t first = thread->pieces.count, last = thread->pieces.count;
	int64_t wait_from, ended_at;
	uint32_t number = open->segment, identity;
	struct segment *segment;
	bool assumed;
	struct end end;

	open->slept = false;
	for (size_t i = piece_at(thread, open->slept_from); i + 1 < thread->pieces.count; i++) {
		if (thread->pieces.items[i].what != WHAT_WAIT || thread->pieces.items[i].start < open->slept_from)
			continue;
		first = first == thread->pieces.count ? i : first;
		last = i;
	}
	if (number == NUMBER_NONE || first == thread->pieces.count)
		return;
	wait_from = thread->pieces.items[first].start;
	ended_at = thread->pieces.items[last + 1].start;
	assumed = thread->pieces.items[first].flags & PIECE_ASSUMED;
	identity = identify(cutter, thread, open, first);
	open->waited = open->call;
	open->waited_for = identity;
	end = end_of(cutter, thread, open, number, &thread->pieces.items[last]);
	segment = open_segment_end(cutter->open_segments, thread, open, wait_from, ended_at);
	segment->identity = identity;
	segment->ended = (uint8_t)end.ended;
	segment->flags |= assumed ? SEGMENT_LOST : 0;
	segment->stack = identities_stack(cutter->identities, stack_number(cutter->wake, thread, first)).functions;
	segment->has_ret = ret != NULL;
	segment->ret = ret ? *ret : 0;
	add_edges(cutter, number, &end, sender, ended_at);
	open_segment_begin(cutter->open_segments, open, segment->end, end.woken);
	open->took_from = sender;
	if (thread->pieces.count >= PIECES_MOST)
		core_trim(cutter->wake, thread, PIECES_KEPT);
}

/* After a gap in the data, counts of bytes in channels may be wrong. */
static void note_gaps(struct cutter *cutter)
{
	if (cutter->gaps != cutter->wake->gaps.count)
		ipc_lost(cutter->ipc);
	cutter->gaps = cutter->wake->gaps.count;
}

static void trim_slices(struct cpu *cpu)
{
	if (cpu->slices.count >= SLICES_MOST)
		ARRAY_REMOVE(&cpu->slices, 0, cpu->slices.count - SLICES_KEPT);
}

/* Ends the last segment of a thread that has ended. If the thread was killed in a wait, nobody is known to have ended that wait. */
static void end_thread(struct cutter *cutter, const struct thread *thread, struct open_segment *open)
{
	bool killed = open->slept && open->call.reason != CALL_NONE;
	int64_t end = thread->died;

	open_segment_name(cutter->open_segments, thread, open);
	if (open->segment != NUMBER_NONE)
		open_segment_end(cutter->open_segments, thread, open, killed ? open->slept_from : end, end)->ended = killed ? ENDED_UNKNOWN : ENDED_NOT;
	open->over = true;
}

static void left_cpu(struct cutter *cutter, struct thread *thread)
{
	struct open_segment *open = open_segment_of(cutter->open_segments, thread);

	if (thread->died != TIME_NONE) {
		end_thread(cutter, thread, open);
	} else if (thread_asleep(thread) && !open->slept) {
		open->slept = true;
		open->slept_from = thread_last(thread)->start;
	}
}

void cutter_switched(struct cutter *cutter, const struct event *event)
{
	struct cpu *cpu = cutter->wake->cpus.items[event->cpu];
	struct thread *next = cpu->current == INDEX_NONE ? NULL : cutter->wake->threads.items[cpu->current];

	if (cpu->leaving != INDEX_NONE && cutter->wake->threads.items[cpu->leaving]->tid != TID_IDLE)
		left_cpu(cutter, cutter->wake->threads.items[cpu->leaving]);
	if (next && next->tid != TID_IDLE) {
		struct open_segment *open = open_segment_of(cutter->open_segments, next);

		if (open->slept && open->call.reason == CALL_NONE)
			cut(cutter, next, NULL, NUMBER_NONE);
	}
	trim_slices(cpu);
}

static struct ipc_end end_at(struct cutter *cutter, const struct thread *thread, struct open_segment *open, int32_t fd)
{
	return (struct ipc_end){open_segment_process(cutter->open_segments, thread, open)->tgid, fd};
}

/* Tells whether the descriptor is a pipe or a socket. From other descriptors a call does not read bytes that a thread sent. */
static bool is_channel(const struct cutter *cutter, const struct thread *thread, const struct open_segment *open)
{
	static const char socket[] = "socket";
	const char *call = whole_text(cutter->whole, identities_call(cutter->identities, open->call.reason)->name);
	const char *kind = reason_at(cutter->wake->reasons, thread->pieces.items[thread->pieces.count - 2].call)->object;
	size_t length = kind ? strlen(kind) : 0;

	return !strncmp(call, "recv", 4) ||
	       (kind && (!strcmp(kind, "pipe") || (length >= strlen(socket) && !strcmp(kind + length - strlen(socket), socket))));
}

/* Tells ipc if the waker is in a call that sends, and the woken thread slept in a call that receives. */
static void meet(struct cutter *cutter, int32_t doer, const struct thread *woken)
{
	struct open_segment *sender = open_segment_of(cutter->open_segments, cutter->wake->threads.items[doer]);
	struct open_segment *receiver = open_segment_of(cutter->open_segments, cutter->wake->threads.items[woken->index]);
	const struct call_words *sends = sender->call.reason == CALL_NONE ? NULL : identities_call(cutter->identities, sender->call.reason);
	const struct call_words *receives;

	if (!sends || !sends->sends || !sends->descriptor || sender->segment == NUMBER_NONE || receiver->call.reason == CALL_NONE)
		return;
	receives = identities_call(cutter->identities, receiver->call.reason);
	if (receives->receives && is_channel(cutter, woken, receiver))
		ipc_meet(cutter->ipc, end_at(cutter, cutter->wake->threads.items[doer], sender, sender->call.fd),
			 end_at(cutter, woken, receiver, receiver->call.fd), sender->called_in);
}

void cutter_woke(struct cutter *cutter, int32_t tid)
{
	struct thread *woken, *waker;
	struct open_segment *open;
	struct doer doer;
	size_t count;
	uint32_t word;

	HASH_FIND_INT(cutter->wake->by_tid, &tid, woken);
	count = woken ? woken->pieces.count : 0;
	if (count < 2 || woken->pieces.items[count - 1].what != WHAT_RUNNABLE || woken->pieces.items[count - 1].start != cutter->wake->now ||
	    woken->pieces.items[count - 2].what != WHAT_WAIT)
		return;
	open = open_segment_of(cutter->open_segments, woken);
	if (!open->slept) { /* the thread has slept since before the data, or since a gap */
		open->slept = true;
		open->slept_from = woken->pieces.items[count - 2].start;
	}
	doer = core_ender(cutter->wake, &woken->pieces.items[count - 2]);
	if (doer.thread == INDEX_NONE || cutter->wake->threads.items[doer.thread]->tid == TID_IDLE)
		return;
	word = open_segment_process(cutter->open_segments, woken, open)->wakes;
	note_gaps(cutter);
	meet(cutter, doer.thread, woken);
	waker = cutter->wake->threads.items[doer.thread];
	open = open_segment_of(cutter->open_segments, waker);
	if (open->segment != NUMBER_NONE && !events_of_pipe(cutter->wake->events, tid)) /* markers of tasks wake the recording pipe now and then */
		segment_contents_add(&open->contents, word);
}

static void closed(struct cutter *cutter, struct ipc_end end)
{
	identities_closed(cutter->identities, end.process, end.fd);
	ipc_closed(cutter->ipc, end);
}

/* The segment of another thread that sent what the returning call received; NUMBER_NONE: it received nothing, or the sender is not known. */
static uint32_t moved(struct cutter *cutter, const struct thread *thread, struct open_segment *open, int64_t ret)
{
	const struct call_words *call = identities_call(cutter->identities, open->call.reason);
	struct ipc_end end = call->descriptor ? end_at(cutter, thread, open, open->call.fd) : (struct ipc_end){0};
	uint32_t sender = NUMBER_NONE;

	if (call->descriptor && call->sends)
		ipc_sent(cutter->ipc, end, ret > 0 ? (uint64_t)ret : 0, open->called_in);
	else if (call->descriptor && call->receives && ret > 0)
		sender = ipc_took(cutter->ipc, end, (uint64_t)ret);
	return sender != NUMBER_NONE && segment_at(cutter->whole, sender)->thread != open->thread ? sender : NUMBER_NONE;
}

/* The identity of what the thread receives without a sleep: that of its last wait, if that was in the same call on the same descriptor. */
static uint32_t identify_awake(struct cutter *cutter, const struct thread *thread, struct open_segment *open)
{
	open->call.process = open_segment_process(cutter->open_segments, thread, open)->tgid;
	if (open->waited.reason == open->call.reason && open->waited.process == open->call.process && open->waited.fd == open->call.fd)
		return open->waited_for;
	return identities_awake(cutter->identities, &open->call);
}

/* The thread received, without a sleep, what another segment sent: from here on it works for that segment (Argus, section 3.2, P3). */
static void receive(struct cutter *cutter, const struct thread *thread, struct open_segment *open, uint32_t sender)
{
	uint32_t identity = identify_awake(cutter, thread, open), to = open->segment;
	struct segment *segment;

	add_wait_word(cutter, open, identity);
	segment = open_segment_end(cutter->open_segments, thread, open, cutter->wake->now, cutter->wake->now);
	segment->ended = ENDED_THREAD;
	segment->identity = identity;
	whole_edge(cutter->whole, sender, to, EDGE_IPC, cutter->wake->now, false);
	open_segment_begin(cutter->open_segments, open, cutter->wake->now, 0);
	open->took_from = sender;
}

/* Begins another segment, in one more handler of a signal (change 1) or one less (-1). */
static void handle(struct cutter *cutter, const struct thread *thread, struct open_segment *open, int change)
{
	open_segment_end(cutter->open_segments, thread, open, cutter->wake->now, cutter->wake->now)->flags |= SEGMENT_BOUNDARY;
	open->handlers += (unsigned)change;
	open_segment_begin(cutter->open_segments, open, cutter->wake->now, 0);
}

void cutter_entered(struct cutter *cutter, const struct event *event, uint64_t first, uint64_t second)
{
	struct thread *thread = open_segments_thread(cutter->open_segments, event);
	const struct call_words *call;
	const struct in_call *in;
	struct open_segment *open;

	note_gaps(cutter);
	if (!thread)
		return;
	open = open_segment_of(cutter->open_segments, thread);
	if (open->slept && !thread_asleep(thread))
		cut(cutter, thread, NULL, NUMBER_NONE); /* the return of the last call is missing */
	in = syscall_of(thread);
	if (in->name == CALL_NONE || open->segment == NUMBER_NONE)
		return;
	call = identities_call(cutter->identities, in->name);
	open->call = (struct made_call){.reason = in->name, .fd = in->fd, .first = first, .second = second};
	open->slept = thread_asleep(thread); /* a call that trace-collect reports for a thread that already slept in it */
	open->slept_from = open->slept ? thread_last(thread)->start : 0;
	segment_contents_add(&open->contents, call->word);
	if (call->returns && open->handlers)
		handle(cutter, thread, open, -1);
	open->called_in = open->segment;
	if (call->closes || call->replaces)
		closed(cutter, end_at(cutter, thread, open, call->closes ? in->fd : (int32_t)second));
	if (call->sends && call->descriptor)
		ipc_sends(cutter->ipc, end_at(cutter, thread, open, in->fd), open->segment);
}

void cutter_returned(struct cutter *cutter, const struct event *event, const int64_t *ret)
{
	struct thread *thread = open_segments_thread(cutter->open_segments, event);
	uint32_t sender = NUMBER_NONE;
	struct open_segment *open;

	note_gaps(cutter);
	if (!thread)
		return;
	open = open_segment_of(cutter->open_segments, thread);
	if (ret && open->call.reason != CALL_NONE && open->segment != NUMBER_NONE) {
		sender = moved(cutter, thread, open, *ret);
		if (!open->slept)
			segment_contents_return(&open->contents, identities_result(cutter->identities, open->call.reason, *ret));
	}
	if (open->slept)
		cut(cutter, thread, ret, sender);
	else if (sender != NUMBER_NONE && sender != open->took_from)
		receive(cutter, thread, open, sender);
	open->call.reason = CALL_NONE;
}

/* Ends the segment of a thread in whose wait the data end. */
static struct segment *leave_waiting(struct cutter *cutter, const struct thread *thread, struct open_segment *open)
{
	size_t wait = piece_at(thread, open->slept_from);
	uint32_t identity = identify(cutter, thread, open, wait);
	struct segment *segment;

	segment = open_segment_end(cutter->open_segments, thread, open, open->slept_from, cutter->wake->now);
	segment->identity = identity;
	segment->stack = identities_stack(cutter->identities, stack_number(cutter->wake, thread, wait)).functions;
	segment->ended = ENDED_OPEN;
	segment->flags |= thread->pieces.items[wait].flags & PIECE_ASSUMED ? SEGMENT_LOST : 0;
	return segment;
}

void cutter_end(struct cutter *cutter, bool lost)
{
	struct open_segment *open;
	int64_t now = cutter->wake->now;

	for (size_t i = 0; (open = open_segments_next(cutter->open_segments, &i)); i++) {
		struct thread *thread = core_sync(cutter->wake, (int32_t)i);
		struct segment *segment;

		open = open_segment_of(cutter->open_segments, thread);
		open_segment_name(cutter->open_segments, thread, open);
		if (open->segment == NUMBER_NONE)
			continue;
		segment = open->slept && thread->pieces.count ? leave_waiting(cutter, thread, open)
								: open_segment_end(cutter->open_segments, thread, open, now, now);
		segment->flags |= lost ? SEGMENT_LOST : 0;
	}
	open_segments_forget(cutter->open_segments);
}

/* The open segment of the event's thread; NULL: it has none, or sleeps. */
static struct open_segment *awake(struct cutter *cutter, const struct event *event, struct thread **thread)
{
	struct open_segment *open;

	*thread = open_segments_thread(cutter->open_segments, event);
	if (!*thread)
		return NULL;
	open = open_segment_of(cutter->open_segments, *thread);
	if (open->slept && !thread_asleep(*thread))
		cut(cutter, *thread, NULL, NUMBER_NONE);
	return open->segment == NUMBER_NONE || open->slept ? NULL : open;
}

uint32_t cutter_segment(struct cutter *cutter, const struct event *event)
{
	struct thread *thread;
	struct open_segment *open = awake(cutter, event, &thread);

	return open ? open->segment : NUMBER_NONE;
}

uint32_t cutter_segment_then(struct cutter *cutter, const struct event *event)
{
	const struct thread *thread = open_segments_thread(cutter->open_segments, event);

	return thread ? segment_of(cutter, thread->index, wake_time(event->ts)) : NUMBER_NONE;
}

void cutter_bounds(struct cutter *cutter, const struct event *event)
{
	struct thread *thread;
	struct open_segment *open = awake(cutter, event, &thread);

	if (!open)
		return;
	open_segment_end(cutter->open_segments, thread, open, cutter->wake->now, cutter->wake->now)->flags |= SEGMENT_BOUNDARY;
	open_segment_begin(cutter->open_segments, open, cutter->wake->now, 0);
}

void cutter_signalled(struct cutter *cutter, const struct event *event)
{
	struct thread *thread;
	struct open_segment *open = awake(cutter, event, &thread);

	if (open)
		handle(cutter, thread, open, 1);
}

void cutter_arrives(struct cutter *cutter, const struct event *event, uint32_t from, enum edge_kind kind, uint32_t function)
{
	struct thread *thread;
	struct open_segment *open = awake(cutter, event, &thread);
	struct segment *segment;
	uint32_t to;

	if (!open)
		return;
	to = open->segment;
	segment = open_segment_end(cutter->open_segments, thread, open, cutter->wake->now, cutter->wake->now);
	segment->ended = ENDED_THREAD;
	segment->identity = whole_identity(cutter->whole, (struct wait_identity){.function = function});
	whole_edge(cutter->whole, from, to, kind, cutter->wake->now, false);
	open_segment_begin(cutter->open_segments, open, cutter->wake->now, 0);
}
