#include "walk/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "source/file_call.h"
#include "wake/ask.h"
#include "wake/context.h"
#include "wake/name.h"
#include "wake/request.h"
#include "wake/softirq.h"
#include "wake/stack.h"
#include "wake/syscall.h"
#include "walk/marked.h"

enum {
	PIECES_KEPT = 16, PIECES_MOST = 64, /* of a thread of the wake core behind its last cut; and before they are dropped */
	TENURES_KEPT = 64, TENURES_MOST = 4096, /* likewise of a CPU */
	SOURCE_STEPS = 64,		    /* segments that a source of a wake-up is looked for in */
	NAME_ROOM = 192, OBJECTS = 1024,
	FUTEX_WAIT_BITSET = 9, FUTEX_OPERATION = 0x7f, CONDITION_BYTES = 8,
};

/* What an event is to us, by its type. */
enum role { ROLE_UNRESOLVED, ROLE_NONE, ROLE_SWITCH, ROLE_WAKING, ROLE_ENTER, ROLE_EXIT, ROLE_FUNCTION, ROLE_NAME };

struct type_role {
	enum role role;
	struct event_field *arguments, *first, *second; /* of a system call; of its return: first */
	struct event_field *woken;
	uint32_t word; /* of a function */
};

/* What is known of a call by its reason in the wake core. */
struct call {
	uint32_t word, name; /* "call=read", "read"; 0: not looked up yet */
	bool futex, closes, replaces, descriptor, sends;
};

/* A thread of the wake core, by its index. */
struct making {
	uint32_t thread, open;	  /* of the whole; its segment that goes on */
	uint32_t epoch;		  /* gaps that it has been cut at */
	bool known, in_call, slept, over;
	int16_t call;
	int32_t fd;
	uint64_t argument, second; /* of the call */
	int64_t slept_from;	  /* first sleep since the call, or the segment, began */
	uint32_t process_epoch;	  /* its process was looked up then */
	struct process *process;
	ARRAY(uint32_t) words;
};

struct process { /* what words call it */
	int32_t tgid;
	uint32_t name, wakes, woken;
	uint32_t epoch;
	UT_hash_handle hh;
};

struct descriptor { /* that was waited for, and since then closed so often */
	struct {
		int32_t process, fd;
	} key;
	uint32_t closed;
	UT_hash_handle hh;
};

struct object { /* a wait's identity, by the numbers that it is made of */
	uint64_t object;
	uint32_t function, generation, identity;
	int16_t call, reason;
	bool set;
};

struct whole_builder {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	struct whole *whole;
	ARRAY(struct type_role) roles; /* by event_type.index */
	ARRAY(struct call) calls;      /* by reason */
	ARRAY(struct making *) makings; /* NULL: not seen */
	ARRAY(uint32_t) functions; /* by number of a stack; NUMBER_NONE: not looked up */
	struct process *processes;
	struct descriptor *descriptors;
	struct object objects[OBJECTS];
	uint32_t names_epoch;
	uint32_t word_timer, word_device, word_outside;
	bool partial, gap_behind_window;
	int64_t window_to;
	uint64_t crowded;
	char *complaint;
};

static void begin_whole(struct whole_builder *builder)
{
	builder->whole = whole_new();
	builder->word_timer = whole_word(builder->whole, "woken=timer");
	builder->word_device = whole_word(builder->whole, "woken=device");
	builder->word_outside = whole_word(builder->whole, "woken=outside");
}

struct whole_builder *whole_builder_new(struct stream *stream, struct events *events)
{
	struct wake *wake = wake_new(events);
	struct whole_builder *builder;

	if (!wake)
		return NULL;
	builder = NEW(struct whole_builder);
	builder->stream = stream;
	builder->events = events;
	builder->wake = wake;
	begin_whole(builder);
	return builder;
}

/* What numbers of words mean goes with the whole. */
static void forget_words(struct whole_builder *builder)
{
	struct process *process, *next_process;
	struct descriptor *descriptor, *next;

	HASH_ITER(hh, builder->processes, process, next_process) {
		HASH_DEL(builder->processes, process);
		free(process);
	}
	HASH_ITER(hh, builder->descriptors, descriptor, next) {
		HASH_DEL(builder->descriptors, descriptor);
		free(descriptor);
	}
	builder->calls.count = builder->functions.count = 0;
	for (size_t i = 0; i < builder->roles.count; i++)
		builder->roles.items[i].role = ROLE_UNRESOLVED;
	memset(builder->objects, 0, sizeof(builder->objects));
	builder->names_epoch++;
}

static void forget_makings(struct whole_builder *builder)
{
	for (size_t i = 0; i < builder->makings.count; i++) {
		if (builder->makings.items[i])
			free(builder->makings.items[i]->words.items);
		free(builder->makings.items[i]);
	}
	builder->makings.count = 0;
}

void whole_builder_free(struct whole_builder *builder)
{
	if (!builder)
		return;
	forget_makings(builder);
	forget_words(builder);
	wake_free(builder->wake);
	whole_free(builder->whole);
	free(builder->roles.items);
	free(builder->calls.items);
	free(builder->makings.items);
	free(builder->functions.items);
	free(builder->complaint);
	free(builder);
}

/* KEY=NAME as a word of a set, in which ';' stands between words. */
static uint32_t word_of(struct whole_builder *builder, const char *key, const char *name)
{
	char text[NAME_ROOM];
	int length = snprintf(text, sizeof(text), "%s%s", key, name);

	for (int i = 0; i < length && i < NAME_ROOM - 1; i++)
		if (text[i] == ';' || (unsigned char)text[i] < ' ')
			text[i] = '_';
	return whole_word(builder->whole, text);
}

static void add_word(struct making *making, uint32_t word)
{
	for (size_t i = making->words.count; i-- > 0;)
		if (making->words.items[i] == word)
			return;
	*ARRAY_ADD(&making->words) = word;
}

static struct making *making_at(struct whole_builder *builder, int32_t index)
{
	while (builder->makings.count <= (size_t)index)
		*ARRAY_ADD(&builder->makings) = NULL;
	if (!builder->makings.items[index])
		builder->makings.items[index] = NEW(struct making);
	return builder->makings.items[index];
}

static struct process *process_of(struct whole_builder *builder, const struct thread *thread, struct making *making)
{
	struct process *process = making->process;
	int32_t tgid;

	if (process && making->process_epoch == builder->names_epoch)
		return process;
	tgid = events_tgid(builder->events, thread->tid);
	tgid = tgid ? tgid : thread->tid;
	HASH_FIND_INT(builder->processes, &tgid, process);
	if (!process) {
		process = NEW(struct process);
		process->tgid = tgid;
		process->epoch = builder->names_epoch - 1;
		HASH_ADD_INT(builder->processes, tgid, process);
	}
	if (process->epoch != builder->names_epoch) {
		const char *name = events_called(builder->events, tgid, builder->wake->now);

		process->epoch = builder->names_epoch;
		process->name = word_of(builder, "", name);
		process->wakes = word_of(builder, "wakes=", name);
		process->woken = word_of(builder, "woken=", name);
	}
	making->process = process;
	making->process_epoch = builder->names_epoch;
	return process;
}

/* As it is called now: the last time is what counts. */
static void name_thread(struct whole_builder *builder, const struct thread *thread, struct making *making)
{
	struct whole_thread *named = &builder->whole->threads.items[making->thread];

	named->name = whole_word(builder->whole, wake_comm(builder->wake, thread));
	named->tgid = events_tgid(builder->events, thread->tid);
	named->process = process_of(builder, thread, making)->name;
}

/* Sums of what the thread did from its segment's start until then. */
static void add_up(const struct wake *wake, const struct thread *thread, struct segment *segment, int64_t until)
{
	size_t i = thread_find(thread, segment->start);

	for (i -= i > 0; i < thread->pieces.count && thread->pieces.items[i].start < until; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t time = sooner(thread_piece_end(wake, thread, i), until) - later(piece->start, segment->start);

		if (time <= 0)
			continue;
		segment->run += piece->what == WHAT_RUN ? time : 0;
		segment->runnable += piece->what == WHAT_RUNNABLE ? time : 0;
	}
}

static void trim(struct thread *thread)
{
	size_t drop = thread->pieces.count - PIECES_KEPT;

	if (thread->pieces.count < PIECES_MOST)
		return;
	memmove(thread->pieces.items, thread->pieces.items + drop, PIECES_KEPT * sizeof(*thread->pieces.items));
	thread->pieces.count = PIECES_KEPT;
	stack_trim(thread, thread->pieces.items[0].start);
}

static void open_segment(struct whole_builder *builder, struct making *making, int64_t start, uint32_t woken)
{
	making->open = whole_segment(builder->whole, making->thread, start);
	making->words.count = 0;
	making->slept = false;
	if (woken)
		*ARRAY_ADD(&making->words) = woken;
}

/* Ends the open segment with a wait, or without one, as one that its data do not show whole. */
static struct segment *close_segment(struct whole_builder *builder, const struct thread *thread, struct making *making, int64_t wait_from,
				     int64_t end)
{
	struct segment *segment = &builder->whole->segments.items[making->open];

	segment->wait_from = later(wait_from, segment->start);
	segment->end = later(end, segment->wait_from);
	add_up(builder->wake, thread, segment, segment->wait_from);
	segment->set = whole_set(builder->whole, making->words.items, making->words.count);
	making->open = NUMBER_NONE;
	return segment;
}

/* Events were lost: what the thread did since is not known. */
static void cut_at_gaps(struct whole_builder *builder, const struct thread *thread, struct making *making)
{
	const struct wake *wake = builder->wake;
	int64_t from = wake->gaps.items[making->epoch].from;
	struct segment *segment;
	bool asleep;

	making->epoch = (uint32_t)wake->gaps.count;
	making->in_call = false;
	if (making->open == NUMBER_NONE)
		return;
	asleep = making->slept && making->slept_from < from;
	segment = close_segment(builder, thread, making, asleep ? making->slept_from : later(from, builder->whole->segments.items[making->open].start),
				later(from, builder->whole->segments.items[making->open].start));
	segment->flags |= SEGMENT_LOST;
	open_segment(builder, making, later(core_since(wake), segment->end), 0);
}

static struct making *making_of(struct whole_builder *builder, struct thread *thread)
{
	struct making *making = making_at(builder, thread->index), *parent;

	if (!making->known) {
		making->known = true;
		making->thread = whole_thread(builder->whole, thread->tid);
		making->epoch = (uint32_t)builder->wake->gaps.count;
		open_segment(builder, making, thread->born == TIME_NONE ? core_since(builder->wake) : thread->born, 0);
		parent = thread->born != TIME_NONE && thread->parent != INDEX_NONE ? making_at(builder, thread->parent) : NULL;
		if (parent && parent->known && parent->open != NUMBER_NONE && segment_at(builder->whole, parent->open)->start <= thread->born)
			whole_edge(builder->whole, parent->open, making->open, EDGE_ASYNC, thread->born, false);
	}
	if (making->epoch != builder->wake->gaps.count)
		cut_at_gaps(builder, core_sync(builder->wake, thread->index), making);
	return making;
}

/* The thread on the CPU, or the one that the event names; NULL: none that is known. */
static struct thread *thread_of(const struct whole_builder *builder, const struct event *event)
{
	const struct cpu *cpu = event->cpu < builder->wake->cpus.count ? builder->wake->cpus.items[event->cpu] : NULL;
	struct thread *thread = cpu && cpu->current != INDEX_NONE ? builder->wake->threads.items[cpu->current] : NULL;

	if (event->tid == TID_IDLE)
		return NULL;
	if (!thread || thread->tid != event->tid)
		HASH_FIND_INT(builder->wake->by_tid, &event->tid, thread);
	return thread;
}

static bool begins_with(const char *text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; text && i < count; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* A call that takes up room: who makes room, in a call that receives, ends what it waits for. */
static bool is_sending(const char *syscall)
{
	static const char *const calls[] = {"write", "pwrite", "send", "splice", "vmsplice", "tee"};

	return begins_with(syscall, calls, sizeof(calls) / sizeof(calls[0]));
}

static struct call *call_of(struct whole_builder *builder, int16_t reason)
{
	const char *name = reason_at(builder->wake->reasons, reason)->syscall;
	struct call *call;

	while (builder->calls.count <= (size_t)reason)
		*ARRAY_ADD(&builder->calls) = (struct call){0};
	call = &builder->calls.items[reason];
	if (call->word || !name)
		return call;
	*call = (struct call){
		.word = word_of(builder, "call=", name),
		.name = word_of(builder, "", name),
		.futex = !strncmp(name, "futex", 5),
		.closes = !strcmp(name, "close"),
		.replaces = !strcmp(name, "dup2") || !strcmp(name, "dup3"),
		.descriptor = file_call_named(name) || !strncmp(name, "epoll_", 6),
		.sends = is_sending(name),
	};
	return call;
}

/* The function in which the wait is; word 0: not known. */
static uint32_t function_of(struct whole_builder *builder, const struct thread *thread, size_t wait)
{
	uint32_t number = stack_number(builder->wake, thread, wait);
	char *name;

	if (!number)
		return 0;
	while (builder->functions.count <= number)
		*ARRAY_ADD(&builder->functions) = NUMBER_NONE;
	if (builder->functions.items[number] == NUMBER_NONE) {
		name = stack_function(builder->wake, number);
		builder->functions.items[number] = name ? word_of(builder, "", name) : 0;
		free(name);
	}
	return builder->functions.items[number];
}

static struct descriptor *descriptor_of(struct whole_builder *builder, int32_t process, int32_t fd, bool make)
{
	struct descriptor *descriptor, wanted = {.key = {process, fd}};

	HASH_FIND(hh, builder->descriptors, &wanted.key, sizeof(wanted.key), descriptor);
	if (!descriptor && make) {
		descriptor = NEW(struct descriptor);
		descriptor->key = wanted.key;
		HASH_ADD(hh, builder->descriptors, key, sizeof(descriptor->key), descriptor);
	}
	return descriptor;
}

/* A descriptor that is closed and made anew is another object. */
static void closed(struct whole_builder *builder, const struct thread *thread, struct making *making, int32_t fd)
{
	struct descriptor *descriptor = descriptor_of(builder, process_of(builder, thread, making)->tgid, fd, false);

	if (descriptor)
		descriptor->closed++;
}

/*
 * The futexes of one condition variable of the C library, which it waits for in turn, are two words that lie in the same eight bytes; it
 * alone waits by a bit set.
 */
static uint64_t futex_of(const struct making *making)
{
	bool condition = (making->second & FUTEX_OPERATION) == FUTEX_WAIT_BITSET;

	return condition ? making->argument & ~(uint64_t)(CONDITION_BYTES - 1) : making->argument;
}

static uint32_t spell_object(struct whole_builder *builder, const struct object *object, const struct call *call, const struct reason *reason)
{
	char text[NAME_ROOM] = "";

	if (call && call->futex)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)object->object);
	else if (call && call->descriptor && object->generation)
		snprintf(text, sizeof(text), "%d#%u", (int)(int32_t)object->object, object->generation + 1);
	else if (call && call->descriptor)
		snprintf(text, sizeof(text), "%d", (int)(int32_t)object->object);
	else if (!call && (reason->lock || reason->purpose))
		snprintf(text, sizeof(text), "%s", reason->lock ? reason->lock : reason->purpose);
	return word_of(builder, "", text);
}

static uint32_t spell_identity(struct whole_builder *builder, const struct object *object)
{
	const struct call *call = object->call == CALL_NONE ? NULL : call_of(builder, object->call);
	const struct reason *reason = reason_at(builder->wake->reasons, object->reason);

	return whole_identity(builder->whole, (struct identity){.syscall = call ? call->name : 0,
							       .object = spell_object(builder, object, call, reason),
							       .function = object->function});
}

/* The identity of a wait of the thread, which begins with this piece. */
static uint32_t identify(struct whole_builder *builder, const struct thread *thread, struct making *making, size_t wait)
{
	int16_t reason = thread->pieces.items[wait].call;
	struct object object = {.function = function_of(builder, thread, wait), .call = CALL_NONE, .reason = CALL_NONE, .set = true}, *cached;
	const struct call *call = making->in_call && making->call != CALL_NONE ? call_of(builder, making->call) : NULL;
	uint32_t kind;
	uint64_t hash;

	if (call) {
		object.call = making->call;
		object.object = call->futex ? futex_of(making) : call->descriptor ? (uint32_t)making->fd : 0;
		if (call->descriptor)
			object.generation = descriptor_of(builder, process_of(builder, thread, making)->tgid, making->fd, true)->closed;
	} else {
		object.reason = reason;
	}
	hash = (object.object ^ (uint64_t)object.function << 40 ^ (uint64_t)object.generation << 24 ^ (uint64_t)(uint16_t)object.call << 8 ^
		(uint16_t)object.reason) * UINT64_C(0x9e3779b97f4a7c15);
	cached = &builder->objects[hash >> 54];
	if (!cached->set || cached->object != object.object || cached->function != object.function || cached->generation != object.generation ||
	    cached->call != object.call || cached->reason != object.reason) {
		object.identity = spell_identity(builder, &object);
		*cached = object;
	}
	kind = call && call->descriptor && reason_at(builder->wake->reasons, reason)->object
		       ? word_of(builder, "", reason_at(builder->wake->reasons, reason)->object)
		       : 0;
	whole_kind(builder->whole, cached->identity, kind);
	return cached->identity;
}

static void wait_word(struct whole_builder *builder, struct making *making, uint32_t number)
{
	struct identity identity = whole_identity_at(builder->whole, number);
	char text[NAME_ROOM];

	if (!number)
		return;
	snprintf(text, sizeof(text), "%s,%s,%s", whole_text(builder->whole, identity.syscall), whole_text(builder->whole, identity.object),
		 whole_text(builder->whole, identity.function));
	add_word(making, word_of(builder, "wait=", text));
}

/* The segment of the thread, by its number in the wake core, in which it was then; NUMBER_NONE: it is too far back, or unknown. */
static uint32_t segment_of(struct whole_builder *builder, int32_t index, int64_t ts)
{
	struct making *making = making_of(builder, builder->wake->threads.items[index]);
	uint32_t segment = making->open != NUMBER_NONE ? making->open : builder->whole->threads.items[making->thread].last;

	for (int step = 0; segment != NUMBER_NONE && step < SOURCE_STEPS; step++) {
		if (segment_at(builder->whole, segment)->start <= ts)
			return segment_at(builder->whole, segment)->flags & SEGMENT_LOST ? NUMBER_NONE : segment;
		segment = segment_at(builder->whole, segment)->before;
	}
	return NUMBER_NONE;
}

struct end { /* of a wait */
	enum ending ended;
	uint32_t from;	/* segment; NUMBER_NONE */
	uint32_t woken; /* word */
	bool weak;
};

/* By a timer of the thread's own, unless another is known to have armed it. */
static struct end timer_end(struct whole_builder *builder, const struct thread *thread, uint32_t segment, const struct piece *wait)
{
	const struct raise *raise =
		wait->cause == CAUSE_TIMER && wait->cause_index != INDEX_NONE ? &builder->wake->raises.items[wait->cause_index] : NULL;
	struct end end = {ENDED_TIMER, segment, builder->word_timer, false};
	uint32_t from;

	if (raise && raise->thread != INDEX_NONE) {
		from = segment_of(builder, raise->thread, raise->ts);
		if (from != NUMBER_NONE || raise->thread != thread->index)
			end.from = from;
	}
	return end;
}

static struct end end_of(struct whole_builder *builder, const struct thread *thread, const struct making *making, uint32_t segment,
			 const struct piece *wait)
{
	struct doer doer = wait->flags & PIECE_TICK ? (struct doer){INDEX_NONE, TIME_NONE} : core_ender(builder->wake, wait);
	struct thread *source;

	if (wait->flags & PIECE_TICK)
		return timer_end(builder, thread, segment, &(struct piece){.cause = CAUSE_NONE});
	if (wait->flags & PIECE_BROKEN)
		return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false};
	if (doer.thread != INDEX_NONE && builder->wake->threads.items[doer.thread]->tid != TID_IDLE) {
		uint32_t from = segment_of(builder, doer.thread, doer.ts);
		bool sends = making->in_call && making->call != CALL_NONE && call_of(builder, making->call)->sends;

		source = builder->wake->threads.items[doer.thread];
		return (struct end){ENDED_THREAD, from, process_of(builder, source, making_at(builder, doer.thread))->woken,
				    wait->flags & PIECE_ROOM && !sends};
	}
	switch (wait->cause) {
	case CAUSE_TIMER:
		return timer_end(builder, thread, segment, wait);
	case CAUSE_IRQ:
	case CAUSE_REQUEST:
		return (struct end){ENDED_DEVICE, NUMBER_NONE, builder->word_device, false};
	case CAUSE_SOFTIRQ:
		if (!softirq_carries(wait->cause_index))
			return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false}; /* the kernel's own housekeeping */
		/* fall through */
	case CAUSE_SENT:
	case CAUSE_DEFERRED:
		return (struct end){ENDED_OUTSIDE, NUMBER_NONE, builder->word_outside, false};
	default:
		return (struct end){ENDED_UNKNOWN, NUMBER_NONE, 0, false};
	}
}

/* The piece then, or the first. */
static size_t piece_at(const struct thread *thread, int64_t ts)
{
	size_t at = thread_find(thread, ts);

	return at > 0 ? at - 1 : 0;
}

/* Its sleeps since the call began are a wait, which is over. Nothing happens if none was a sleep after all. */
static void cut(struct whole_builder *builder, struct thread *thread, const int64_t *ret)
{
	struct making *making = making_of(builder, thread);
	size_t first = thread->pieces.count, last = thread->pieces.count;
	int64_t wait_from, ended_at;
	uint32_t number = making->open, identity;
	struct segment *segment;
	bool assumed;
	struct end end;

	making->slept = false;
	for (size_t i = piece_at(thread, making->slept_from); i + 1 < thread->pieces.count; i++) {
		if (thread->pieces.items[i].what != WHAT_WAIT || thread->pieces.items[i].start < making->slept_from)
			continue;
		first = first == thread->pieces.count ? i : first;
		last = i;
	}
	if (number == NUMBER_NONE || first == thread->pieces.count)
		return;
	wait_from = thread->pieces.items[first].start;
	ended_at = thread->pieces.items[last + 1].start;
	assumed = thread->pieces.items[first].flags & PIECE_ASSUMED;
	identity = identify(builder, thread, making, first);
	wait_word(builder, making, identity);
	end = end_of(builder, thread, making, number, &thread->pieces.items[last]);
	segment = close_segment(builder, thread, making, wait_from, ended_at);
	segment->identity = identity;
	segment->ended = (uint8_t)end.ended;
	segment->flags |= assumed ? SEGMENT_LOST : 0;
	segment->has_ret = ret != NULL;
	segment->ret = ret ? *ret : 0;
	if (end.from != NUMBER_NONE)
		whole_edge(builder->whole, end.from, number, end.ended == ENDED_TIMER ? EDGE_TIMER : EDGE_WAKE, ended_at, end.weak);
	open_segment(builder, making, segment->end, end.woken);
	trim(thread);
}

static void trim_tenures(struct cpu *cpu)
{
	size_t drop = cpu->tenures.count - TENURES_KEPT;

	if (cpu->tenures.count < TENURES_MOST)
		return;
	memmove(cpu->tenures.items, cpu->tenures.items + drop, TENURES_KEPT * sizeof(*cpu->tenures.items));
	cpu->tenures.count = TENURES_KEPT;
}

/* The thread is over: so is its last segment, and a wait in which it was killed was ended by nobody. */
static void end_thread(struct whole_builder *builder, const struct thread *thread, struct making *making)
{
	bool killed = making->slept && making->in_call;
	int64_t end = thread->died;

	name_thread(builder, thread, making);
	if (making->open != NUMBER_NONE)
		close_segment(builder, thread, making, killed ? making->slept_from : end, end)->ended = killed ? ENDED_UNKNOWN : ENDED_NOT;
	making->over = true;
}

static void left_cpu(struct whole_builder *builder, struct thread *thread)
{
	struct making *making = making_of(builder, thread);

	if (thread->died != TIME_NONE) {
		end_thread(builder, thread, making);
	} else if (thread_asleep(thread) && !making->slept) {
		making->slept = true;
		making->slept_from = thread_last(thread)->start;
	}
}

static void after_switch(struct whole_builder *builder, const struct event *event)
{
	struct cpu *cpu = builder->wake->cpus.items[event->cpu];
	struct thread *next = cpu->current == INDEX_NONE ? NULL : builder->wake->threads.items[cpu->current];

	if (cpu->leaving != INDEX_NONE && builder->wake->threads.items[cpu->leaving]->tid != TID_IDLE)
		left_cpu(builder, builder->wake->threads.items[cpu->leaving]);
	if (next && next->tid != TID_IDLE) {
		struct making *making = making_of(builder, next);

		if (making->slept && !making->in_call)
			cut(builder, next, NULL);
	}
	trim_tenures(cpu);
}

/* Who woke another did that in this segment, in vain or not. */
static void after_waking(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	int32_t tid = (int32_t)event_number(event, role->woken);
	struct thread *woken, *waker;
	struct making *making;
	struct doer doer;
	size_t count;
	uint32_t word;

	HASH_FIND_INT(builder->wake->by_tid, &tid, woken);
	count = woken ? woken->pieces.count : 0;
	if (count < 2 || woken->pieces.items[count - 1].what != WHAT_RUNNABLE || woken->pieces.items[count - 1].start != builder->wake->now ||
	    woken->pieces.items[count - 2].what != WHAT_WAIT)
		return;
	making = making_of(builder, woken);
	if (!making->slept) { /* asleep since before the data, or since a gap */
		making->slept = true;
		making->slept_from = woken->pieces.items[count - 2].start;
	}
	doer = core_ender(builder->wake, &woken->pieces.items[count - 2]);
	if (doer.thread == INDEX_NONE || builder->wake->threads.items[doer.thread]->tid == TID_IDLE)
		return;
	word = process_of(builder, woken, making)->wakes;
	waker = builder->wake->threads.items[doer.thread];
	making = making_of(builder, waker);
	if (making->open != NUMBER_NONE)
		add_word(making, word);
}

static void after_enter(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	struct thread *thread = thread_of(builder, event);
	const struct in_call *in;
	struct making *making;
	const struct call *call;

	if (!thread)
		return;
	making = making_of(builder, thread);
	if (making->slept && !thread_asleep(thread))
		cut(builder, thread, NULL); /* the return of the last one is missing */
	in = syscall_of(thread);
	if (in->name == CALL_NONE || making->open == NUMBER_NONE)
		return;
	call = call_of(builder, in->name);
	making->in_call = true;
	making->call = in->name;
	making->fd = in->fd;
	making->slept = thread_asleep(thread); /* trace-collect says that it slept in it already */
	making->slept_from = making->slept ? thread_last(thread)->start : 0;
	if (role->arguments) {
		making->argument = (uint64_t)event_element(event, role->arguments, 0);
		making->second = (uint64_t)event_element(event, role->arguments, 1);
	} else {
		making->argument = (uint64_t)event_number(event, role->first);
		making->second = (uint64_t)event_number(event, role->second);
	}
	add_word(making, call->word);
	if (call->closes)
		closed(builder, thread, making, in->fd);
	else if (call->replaces)
		closed(builder, thread, making, (int32_t)making->second);
}

static void after_exit(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	struct thread *thread = thread_of(builder, event);
	struct making *making;
	int64_t ret;

	if (!thread)
		return;
	making = making_of(builder, thread);
	ret = event_number(event, role->first);
	if (making->slept)
		cut(builder, thread, event_has(event, role->first) ? &ret : NULL);
	making->in_call = false;
}

static void after_function(struct whole_builder *builder, const struct event *event, uint32_t word)
{
	struct thread *thread = thread_of(builder, event);
	struct making *making = thread ? making_of(builder, thread) : NULL;

	if (making && making->open != NUMBER_NONE)
		add_word(making, word);
}

static void resolve(struct whole_builder *builder, struct type_role *role, const char *name)
{
	static const char calls[] = "syscalls:sys_enter_", returns[] = "syscalls:sys_exit_", function[] = "func:", suffix[] = "__return";
	struct event_type *type = events_type(builder->events, name);
	size_t length = strlen(name);

	*role = (struct type_role){.role = ROLE_NONE};
	if (!strcmp(name, "sched:sched_switch")) {
		role->role = ROLE_SWITCH;
	} else if (!strcmp(name, "sched:sched_waking") || !strcmp(name, "sched:sched_wakeup")) {
		role->role = ROLE_WAKING;
		role->woken = event_type_field(type, "pid");
	} else if (!strcmp(name, "raw_syscalls:sys_enter")) {
		role->role = ROLE_ENTER;
		role->arguments = event_type_field(type, "args");
	} else if (!strncmp(name, calls, strlen(calls))) {
		bool futex = !strncmp(name + strlen(calls), "futex", 5);

		role->role = ROLE_ENTER;
		role->first = event_type_field(type, futex ? "uaddr" : "fd");
		role->second = event_type_field(type, futex ? "op" : "newfd");
	} else if (!strcmp(name, "raw_syscalls:sys_exit") || !strncmp(name, returns, strlen(returns))) {
		role->role = ROLE_EXIT;
		role->first = event_type_field(type, "ret");
	} else if (!strncmp(name, function, strlen(function)) && strcmp(name, "func:unwind") &&
		   (length < strlen(suffix) || strcmp(name + length - strlen(suffix), suffix))) {
		role->role = ROLE_FUNCTION;
		role->word = word_of(builder, "func=", name + strlen(function));
	} else if (!strcmp(name, "task:task_rename") || !strcmp(name, "sched:sched_process_exec")) {
		role->role = ROLE_NAME;
	}
}

static const struct type_role *role_of(struct whole_builder *builder, const struct event_type *type)
{
	while (builder->roles.count <= (size_t)type->index)
		*ARRAY_ADD(&builder->roles) = (struct type_role){0};
	if (builder->roles.items[type->index].role == ROLE_UNRESOLVED)
		resolve(builder, &builder->roles.items[type->index], type->name);
	return &builder->roles.items[type->index];
}

/* Between the windows of a filter nobody knows what happened. */
static void gap(struct whole_builder *builder, uint32_t cpu, int64_t from, int64_t to)
{
	size_t gaps = builder->wake->gaps.count;

	wake_lost(builder->wake, cpu, from, to);
	if (builder->wake->gaps.count > gaps)
		*ARRAY_ADD(&builder->whole->gaps) = (struct whole_gap){builder->wake->gaps.items[gaps].from, builder->wake->now};
}

/* The data end in its wait. */
static struct segment *leave_waiting(struct whole_builder *builder, const struct thread *thread, struct making *making)
{
	size_t wait = piece_at(thread, making->slept_from);
	uint32_t identity = identify(builder, thread, making, wait);
	struct segment *segment;

	wait_word(builder, making, identity);
	segment = close_segment(builder, thread, making, making->slept_from, builder->wake->now);
	segment->identity = identity;
	segment->ended = ENDED_OPEN;
	segment->flags |= thread->pieces.items[wait].flags & PIECE_ASSUMED ? SEGMENT_LOST : 0;
	return segment;
}

/* The state of all threads is closed as at a gap, and begun anew. */
static void end_all(struct whole_builder *builder, bool lost)
{
	for (size_t i = 0; i < builder->makings.count; i++) {
		struct thread *thread;
		struct making *making;
		struct segment *segment;
		int64_t now = builder->wake->now;

		if (!builder->makings.items[i] || !builder->makings.items[i]->known || builder->makings.items[i]->over)
			continue;
		thread = core_sync(builder->wake, (int32_t)i);
		making = making_of(builder, thread);
		name_thread(builder, thread, making);
		if (making->open == NUMBER_NONE)
			continue;
		segment = making->slept && thread->pieces.count ? leave_waiting(builder, thread, making) : close_segment(builder, thread, making, now, now);
		segment->flags |= lost ? SEGMENT_LOST : 0;
	}
	forget_makings(builder);
}

static int take_event(struct whole_builder *builder, const struct record *record)
{
	const struct type_role *role;
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return -1;
	if (builder->gap_behind_window) {
		builder->gap_behind_window = false;
		gap(builder, UINT32_MAX, builder->window_to, later(event.ts, builder->window_to));
	}
	if (wake_is_full(builder->wake)) {
		end_all(builder, true);
		wake_forget(builder->wake);
		builder->crowded++;
		stream_mark_incomplete(builder->stream);
	}
	if (wake_event(builder->wake, &event) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	if (builder->whole->from == TIME_NONE)
		builder->whole->from = builder->wake->now;
	role = role_of(builder, event.type);
	if (builder->whole->segments.count >= NUMBER_NONE - 1)
		return stream_fail(builder->stream, "there are more segments than %u", NUMBER_NONE - 1);
	switch (role->role) {
	case ROLE_SWITCH:
		after_switch(builder, &event);
		break;
	case ROLE_WAKING:
		after_waking(builder, &event, role);
		break;
	case ROLE_ENTER:
		after_enter(builder, &event, role);
		break;
	case ROLE_EXIT:
		after_exit(builder, &event, role);
		break;
	case ROLE_FUNCTION:
		after_function(builder, &event, role->word);
		break;
	case ROLE_NAME:
		builder->names_epoch++;
		break;
	default:
		break;
	}
	return 0;
}

static int take_lost(struct whole_builder *builder, const struct record *record, const struct fields *fields)
{
	uint64_t cpu = UINT32_MAX;
	int64_t from = TIME_NONE, to = TIME_NONE;

	if (fields_unsigned(fields, "cpu", &cpu) < 0 || fields_time(fields, "from", &from) < 0 || fields_time(fields, "ts", &to) < 0)
		return -1;
	gap(builder, (uint32_t)cpu, from, to);
	if (record_tells_damage(record)) {
		wake_forget_meanings(builder->wake);
		builder->functions.count = 0;
	}
	return 0;
}

static int take_window(struct whole_builder *builder, const struct fields *fields)
{
	if (fields_find(fields, "request"))
		return 0; /* no moment of its own: a request that a trigger logged */
	if (!fields_is(fields, "passed", "all")) {
		builder->partial = builder->gap_behind_window = true;
		builder->window_to = builder->wake->now;
	}
	return marked_read(builder->whole, KIND_WINDOW, fields);
}

/* A stack may get another meaning. */
static int take_meaning(struct whole_builder *builder, enum kind kind, const struct fields *fields)
{
	uint64_t number = 0;

	if (kind == KIND_STACK && fields_unsigned(fields, "id", &number) > 0 && number < builder->functions.count)
		builder->functions.items[number] = NUMBER_NONE;
	builder->names_epoch += kind == KIND_TASK;
	return kind == KIND_TASK ? 0 : wake_record(builder->wake, kind, fields);
}

static const enum kind meanings[] = {KIND_STREAM, KIND_STACK, KIND_FILE, KIND_QUOTA, KIND_TIMER, KIND_TRACED, KIND_TASK};

void whole_builder_reads(struct handlers *handlers, record_handler *handler)
{
	static const enum kind others[] = {KIND_EVENT, KIND_LOST, KIND_SIGNAL, KIND_WINDOW};

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		handlers->on[meanings[i]] = handler;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		handlers->on[others[i]] = handler;
}

int whole_builder_record(struct whole_builder *builder, const struct record *record)
{
	const struct fields *fields;
	int status = 0;

	if (record->kind == KIND_EVENT)
		return take_event(builder, record);
	fields = stream_fields(builder->stream, record);
	if (!fields)
		return -1;
	if (record->kind == KIND_LOST)
		status = take_lost(builder, record, fields);
	else if (record->kind == KIND_SIGNAL)
		status = marked_read(builder->whole, KIND_SIGNAL, fields);
	else if (record->kind == KIND_WINDOW)
		status = take_window(builder, fields);
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (record->kind == meanings[i])
			status = take_meaning(builder, record->kind, fields);
	return status < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

struct whole *whole_builder_finish(struct whole_builder *builder)
{
	struct whole *whole = builder->whole;

	end_all(builder, false);
	whole->to = builder->wake->gaps.count ? builder->wake->now : whole->from;
	forget_words(builder);
	wake_forget(builder->wake);
	wake_forget_meanings(builder->wake);
	builder->gap_behind_window = false;
	begin_whole(builder);
	if (whole_ready(whole) < 0) {
		whole_free(whole);
		return NULL;
	}
	return whole;
}

bool whole_builder_partial(const struct whole_builder *builder)
{
	return builder->partial;
}

const char *whole_builder_complaint(struct whole_builder *builder)
{
	free(builder->complaint);
	builder->complaint = NULL;
	if (builder->crowded)
		builder->complaint = memory_format("the stream has more than 262,144 threads; what was known of them was forgotten, %llu time%s",
						   (unsigned long long)builder->crowded, builder->crowded == 1 ? "" : "s");
	else if (builder->partial)
		builder->complaint = memory_format("the stream has windows only; to know what is usual, record all events (cchart-filter --pass=all)");
	else if (wake_unsure(builder->wake))
		builder->complaint = memory_format("interrupts woke threads, and no event tells which: a thread that is said to have woken another may only "
						   "have been hit by an interrupt; record events of irq and timer, too");
	return builder->complaint;
}
